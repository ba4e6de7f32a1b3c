// A client of the messenger: everything that can be done with messages, on top of one account and its chats.
import type { Message } from '@postern/bot-api/objects'
import {
  type ChatId,
  Lanes,
  type MessageId,
  type PressId,
  SEND_ID_BYTES,
  toBase32,
  type Within,
} from '@postern/protocol'
import type { KnownBody } from '@postern/protocol/content'
import { AccountClient, type Once } from './account-client.ts'
import { visibleChat } from './chats/chats.ts'
import type { Waiting } from './files/shared-fetches.ts'
import { newDraft } from './messages/compose.ts'
import { assertDeletable, deleteHere } from './messages/delete.ts'
import { assertEditable, type MessageEdit } from './messages/edit.ts'
import { findEarlier } from './messages/idempotency.ts'
import { findMessage, listMessages } from './messages/messages.ts'
import { type OpenFile, openFile } from './messages/open-file.ts'
import { assertClosable, assertCounted, assertVote } from './messages/polls.ts'
import { answerPress, pressButton } from './messages/presses.ts'
import { assertReaction } from './messages/reactions.ts'
import { markRead } from './messages/read.ts'
import { type Saying, sayOnce } from './messages/say-once.ts'
import { sendDraft } from './messages/send.ts'
import { editMessage } from './messages/send-edit.ts'
import { type FileDraft, type NewFile, sendFile, type Taking, takeFile } from './messages/send-file.ts'
import { type NewPoll, sendPoll } from './messages/send-poll.ts'
import { sendText } from './messages/send-text.ts'
import type { NewText } from './messages/text-rules.ts'
import { viewMessage, viewMessages } from './messages/view-message.ts'

export class Client extends AccountClient {
  readonly #presses = new Lanes<PressId>()
  readonly #edits = new Lanes<MessageId>()

  /** A person never met: the private chat is opened first. Resolves when the relay has the message durably. */
  async sendText(id: ChatId, text: NewText, within: Once): Promise<Message> {
    const deadline = this.deadline(within)
    return await this.once(within, idempotency => sendText(this.core, id, { text, deadline, ...idempotency }))
  }

  /** The message that was sent under the key, if there is one: what was in doubt is settled by that. Nothing is sent. */
  async findSent(id: ChatId, within: Required<Once>): Promise<Message | undefined> {
    const deadline = this.deadline(within)
    return await this.once(within, async () => {
      await this.core.link.whenOnline(deadline.leftMs())
      const earlier = await findEarlier(this.core, id, { given: within.idempotency, deadline })
      return earlier?.kind === 'sent' ? earlier.message : undefined
    })
  }

  /** Takes in what the source gives, encrypted; the relay gets it meanwhile. Whoever takes a file discards it in the end. */
  async takeFile(source: AsyncIterable<Uint8Array>, taking: Taking = {}): Promise<FileDraft> {
    return await takeFile(this.core, source, taking)
  }

  /** The time is that for the message: the rest of its file is waited for as long as it gets on. */
  async sendFile(id: ChatId, file: NewFile, within: Once): Promise<Message> {
    return await this.once(within, idempotency => sendFile(this.core, id, { file, within, ...idempotency }))
  }

  /** Fetched and checked when it is not here yet. */
  async openFile(chat: ChatId, message: MessageId, waiting: Waiting): Promise<OpenFile> {
    return await openFile(this.core, { chat, message }, waiting)
  }

  /** The message as it stands then. */
  async editMessage(id: ChatId, edit: MessageEdit, within: Within): Promise<Message> {
    assertEditable(this.core, id, edit)
    const deadline = this.deadline(within)
    // One after the other: mentions alone say the text again, and must not take back one that is on its way.
    return await this.#edits.run(edit.message, async () => {
      await editMessage(this.core, id, { edit, deadline })
      return this.message(id, edit.message)
    })
  }

  async sendPoll(id: ChatId, poll: NewPoll, within: Once): Promise<Message> {
    const deadline = this.deadline(within)
    return await this.once(within, idempotency => sendPoll(this.core, id, { poll, deadline, ...idempotency }))
  }

  /** No options take the vote back. */
  async vote(id: ChatId, vote: { message: MessageId; options: number[] }, within: Once): Promise<void> {
    const body = { kind: 'vote' as const, target: vote.message, options: vote.options }
    await this.#sayOnce(id, { body, assertAllowed: () => assertVote(this.core, id, vote) }, within)
    assertCounted(this.core, vote.message)
  }

  async closePoll(id: ChatId, target: MessageId, within: Once): Promise<void> {
    const assertAllowed = () => assertClosable(this.core, id, target)
    await this.#sayOnce(id, { body: { kind: 'close', target }, assertAllowed }, within)
  }

  /** Told to the bot alone. Gives the id under which it may answer. */
  async press(id: ChatId, pressed: { message: MessageId; data: string }, within: Within): Promise<PressId> {
    return await pressButton(this.core, { chat: id, ...pressed }, this.deadline(within))
  }

  /** Shown to the presser alone; once, and within a minute of the press. */
  async answerPress(press: PressId, text: string, within: Once): Promise<void> {
    const deadline = this.deadline(within)
    await this.once(within, idempotency =>
      this.#presses.run(press, () => answerPress(this.core, { press, text, ...idempotency }, deadline)),
    )
  }

  async deleteMessage(id: ChatId, deletion: { message: MessageId; for: 'all' | 'me' }, within: Within): Promise<void> {
    const { message: target } = deletion
    if (deletion.for === 'me') return await deleteHere(this.core, id, target)
    assertDeletable(this.core, id, target)
    await this.#say(id, { kind: 'delete', target }, within)
  }

  /** An empty emoji takes the reaction back. */
  async react(id: ChatId, reaction: { message: MessageId; emoji: string }, within: Within): Promise<void> {
    const { message: target, emoji } = reaction
    assertReaction(this.core, id, { target, emoji })
    await this.#say(id, { kind: 'reaction', target, emoji }, within)
  }

  /** Everything when no message is named. */
  async markRead(id: ChatId, upTo?: MessageId): Promise<void> {
    await markRead(this.core, id, upTo)
  }

  async call(id: ChatId, within: Within): Promise<void> {
    const call = toBase32(this.core.provider.randomBytes(SEND_ID_BYTES))
    await this.#say(id, { kind: 'call', call, state: 'ringing' }, within)
  }

  /** Oldest first; the newest page when `beforeTs` is absent. */
  messages(id: ChatId, page: { beforeTs?: number; limit: number }): Message[] {
    visibleChat(this.core.store, id)
    return viewMessages(this.core.store, listMessages(this.core.store, id, page), this.account)
  }

  message(id: ChatId, message: MessageId): Message {
    visibleChat(this.core.store, id)
    return viewMessage(this.core.store, findMessage(this.core.store, id, message), this.account)
  }

  async #sayOnce(id: ChatId, saying: Pick<Saying, 'body' | 'assertAllowed'>, within: Once): Promise<void> {
    const deadline = this.deadline(within)
    await this.once(within, idempotency => sayOnce(this.core, id, { ...saying, deadline, ...idempotency }))
  }

  async #say(id: ChatId, body: KnownBody, within: Within): Promise<void> {
    await sendDraft(this.core, id, { draft: newDraft(this.core, body), deadline: this.deadline(within) })
  }
}
