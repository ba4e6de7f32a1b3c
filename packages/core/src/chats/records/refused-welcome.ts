// A valid welcome that may not be followed: the rule that it breaks, and its maker.
import type { AccountId, ChatId, GroupId } from '@postern/protocol'
import type { Rule, Verdict } from '../../judge/verdict.ts'

type Refusal = Extract<Verdict, { kind: 'refuse' }>
type RefusedInvitation = { chat: ChatId; inviter: AccountId; group: GroupId; generation: number; epoch: number }

export class RefusedWelcome extends Error {
  readonly rule: Rule
  readonly invitation: RefusedInvitation

  constructor({ rule, why }: Refusal, invitation: RefusedInvitation) {
    super(`The welcome is not followed: ${why}.`)
    this.name = 'RefusedWelcome'
    this.rule = rule
    this.invitation = invitation
  }
}
