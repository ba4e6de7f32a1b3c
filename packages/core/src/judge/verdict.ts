// The verdict of the judge: input of others is followed, or refused by a rule that can be looked up.

/** The rules of SPEC.md by which input is refused, with the sentence that people read. */
const rules = {
  'other-chat': 'it leads into another chat than the group belongs to',
  'other-type': 'it makes a private chat a group, or a group a private chat',
  'not-the-two': 'a private chat has two people, and only one of them opens it',
  'private-members': 'nobody comes into a private chat, and nobody is removed from it',
  'not-needed': 'this account is in the group with good keys',
  'not-newer': 'it leads back to keys that are past',
  'too-far': 'it leaves no number for the groups that may have to follow it',
  'unknown-inviter': 'it comes from somebody who was not in the group',
  'no-chat': 'a first group gives its chat the id, and a later one names the chat that it carries on',
  'other-maker': 'it names another account as the maker of the group than the one that signed it',
  'other-members': 'it has other members than those who are shown',
  'unreadable-settings': 'its settings are none that our clients write',
  'not-an-admin': 'only an admin removes people',
  'not-an-admin-to-name': 'only an admin names admins',
  'fixed-setting': 'what a chat is, and which it is, never changes',
  'too-many': 'a group has a limited number of members',
  'other-sender': 'the relay names another account as its sender than the one that signed it',
  'revoked-device': 'the account has replaced the device that signed it',
  'expired-device': 'the certificate of the device that signed it has ended',
  'sent-before': 'it was taken before',
} as const

export type Rule = keyof typeof rules

export type Verdict = { kind: 'follow' } | { kind: 'refuse'; rule: Rule; why: string }

export const follow: Verdict = { kind: 'follow' }

export const refuse = (rule: Rule): Verdict => ({ kind: 'refuse', rule, why: rules[rule] })

/** The first broken rule, in the order given. */
export function judgeBy(...broken: [isBroken: boolean, rule: Rule][]): Verdict {
  const first = broken.find(([isBroken]) => isBroken)
  return first ? refuse(first[1]) : follow
}

export const sameAccounts = (one: readonly string[], other: readonly string[]): boolean => {
  const others = new Set(other)
  return one.length === other.length && others.size === other.length && one.every(account => others.has(account))
}
