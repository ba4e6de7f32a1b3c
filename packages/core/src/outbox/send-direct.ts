// Sends messages to one member: sealed to its leaf,
// ordered in the group's log like any other, delivered to that account alone.
import { leafOf, rosterOf, sealDirect } from '@postern/mls'
import {
  type AccountId,
  type ChatId,
  CodedError,
  type Deadline,
  SEND_ID_BYTES,
  sendIdFromBytes,
} from '@postern/protocol'
import { encodeContent, type KnownBody } from '@postern/protocol/content'
import { findChat } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { findGroup } from '../groups/group-records.ts'
import { publishedVersion } from '../identity/profile.ts'
import { appendMarked, unmarked } from '../relay-link/append-marked.ts'
import { assertKeysMatchMembers } from './guard-send.ts'

export type DirectSending = Pick<
  Core,
  'store' | 'groups' | 'link' | 'provider' | 'clock' | 'elapsed' | 'log' | 'wakeChores' | 'rescheduleTimers'
>
type Recipient = { chat: ChatId; to: AccountId }

/** `gone`: the recipient is no longer in the chat. `broken`: the chat must heal first. */
export async function sendDirect(
  core: DirectSending,
  { chat, to }: Recipient,
  { body, deadline }: { body: KnownBody; deadline: Deadline },
): Promise<'sent' | 'gone' | 'broken'> {
  const send = sendIdFromBytes(core.provider.randomBytes(SEND_ID_BYTES))
  const content = encodeContent({ send, profileVersion: publishedVersion(core.store), body })
  for (;;) {
    const group = findChat(core.store, chat)?.group_id
    if (!group) throw new CodedError('chat-not-found', { chat })
    const payload = await core.groups.run(group, async live => {
      await core.groups.recorded(live)
      // Checked in the lane, for every try: a person who was blocked while this waited receives nothing more.
      if (findChat(core.store, chat)?.blocked) throw new CodedError('chat-blocked')
      await assertKeysMatchMembers(core, live, chat)
      const leaf = leafOf(rosterOf(live.session), to)
      return leaf === undefined ? undefined : await sealDirect(live.session, leaf, content)
    })
    if (!payload) return 'gone'
    const verdict = await appendMarked(core.link, { payload, to, leave: false, mark: unmarked }, deadline)
    if (verdict.accepted) return 'sent'
    await core.groups.untilEpoch(group, verdict.epoch, deadline.leftMs())
    if (findGroup(core.store, group)?.status === 'broken') return 'broken'
  }
}
