// Tells the others in a chat that this account is typing, or what it is about to say: sealed, relayed to those who are
// connected, and stored nowhere.
import { sealEphemeral } from '@postern/mls'
import { type ChatId, type Deadline, isAccountId, isCoded } from '@postern/protocol'
import { type EphemeralContent, encodeEphemeral } from '@postern/protocol/content'
import { membersOf } from '../chats/records/chats.ts'
import { reachedBy } from '../chats/records/member-receipts.ts'
import { goingFrom } from '../chats/records/removals.ts'
import type { Core } from '../context.ts'
import { isContact } from '../identity/people.ts'
import { assertText } from '../kinds/text-rules.ts'
import { presentMs } from '../messages/age.ts'
import { hasMessageOf } from '../messages/messages.ts'
import { draftPartOf } from '../typing/draft-text.ts'
import { assertKeysMatchMembers } from './guard-send.ts'
import type { DirectSending } from './send-direct.ts'
import { writableChat } from './writable-chat.ts'

type TypingSending = DirectSending & Pick<Core, 'typists'>

/** Nothing is sent while the last one still shows, nor to a person who has not accepted this account. */
export async function sendTyping(core: TypingSending, chat: ChatId, deadline: Deadline): Promise<void> {
  const isDue = () => core.typists.maySend(chat)
  await sendEphemeral(core, chat, { deadline, isDue, body: { kind: 'typing' } })
}

export type NewDraft = { text: string; markdown?: boolean }

/** A part too soon after the last one is not sent: a later one, or the message itself, has its text. */
export async function sendDraft(
  core: TypingSending,
  chat: ChatId,
  { text, markdown = false, deadline }: NewDraft & { deadline: Deadline },
): Promise<void> {
  assertText(text)
  const isDue = () => core.typists.maySendDraft(chat, membersOf(core.store, chat).length)
  const body = { kind: 'draft', ...draftPartOf(text, markdown) } as const
  await sendEphemeral(core, chat, { deadline, isDue, body }).catch(passOverFullRelay)
}

type EphemeralSend = { deadline: Deadline; isDue: () => boolean; body: EphemeralContent['body'] }

async function sendEphemeral(core: TypingSending, chat: ChatId, { deadline, isDue, body }: EphemeralSend) {
  const { group_id: group } = writableChat(core, chat, { kind: 'text' })
  if (!group || !isOpenBothWays(core, chat) || !isDue()) return
  await core.link.whenOnline(deadline.leftMs())
  const payload = await core.groups.run(group, async live => {
    await core.groups.recorded(live)
    // In the lane: a person who was blocked while this waited receives nothing more.
    writableChat(core, chat, { kind: 'text' })
    await assertKeysMatchMembers(core, live, chat)
    // They could read it: only a message is preceded by the commit that removes them.
    if (goingFrom(core.store, chat).length > 0) return undefined
    const ts = core.typists.tsAfterSaid(chat, presentMs(core))
    return await sealEphemeral(live.session, encodeEphemeral({ ts, body }))
  })
  if (!payload) return
  await core.link.call('sendEphemeral', { payload }, deadline.leftMs()).catch(passOverOldRelay)
}

/** The account has sent too many frames in this minute. A draft that is not shown is no error. */
function passOverFullRelay(error: unknown): void {
  if (!isCoded(error, 'rate-limited')) throw error
}

/** In a private chat: the other came by the link, has written, or has confirmed that a message arrived. */
function isOpenBothWays({ store }: Pick<Core, 'store'>, chat: ChatId): boolean {
  if (!isAccountId(chat)) return true
  const isReached = (reachedBy(store, chat, chat)?.deliveredTs ?? 0) > 0
  return isReached || isContact(store, chat) || hasMessageOf(store, chat, chat)
}

/** A relay that is older than this program does not know such frames. */
export function passOverOldRelay(error: unknown): void {
  if (!isCoded(error, 'frame-malformed')) throw error
}
