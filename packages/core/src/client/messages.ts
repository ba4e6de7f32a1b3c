// What can be done with messages: they are sent, read, and something is said about them.
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
import { visibleChat } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import { call } from '../kinds/call.ts'
import { close } from '../kinds/close.ts'
import { deletion } from '../kinds/delete.ts'
import { edit, type MessageEdit } from '../kinds/edit.ts'
import { type NewPoll, poll } from '../kinds/poll.ts'
import { type NewReaction, reaction } from '../kinds/reaction.ts'
import { text } from '../kinds/text.ts'
import type { NewText } from '../kinds/text-rules.ts'
import { assertCounted, type NewVote, vote } from '../kinds/vote.ts'
import { findMessage, listMessages } from '../messages/messages.ts'
import { markRead } from '../messages/read.ts'
import { newDraft } from '../outbox/compose.ts'
import { findEarlier } from '../outbox/idempotency.ts'
import { sendAbout } from '../outbox/send-about.ts'
import { sendContent } from '../outbox/send-content.ts'
import { sendEdit } from '../outbox/send-edit.ts'
import { sendNewMessage } from '../outbox/send-new-message.ts'
import { answerPress, pressButton } from '../outbox/send-press.ts'
import { deleteHere } from '../timeline/delete-here.ts'
import { viewMessage, viewMessages } from '../timeline/view-message.ts'
import type { Callers, Once } from './callers.ts'

export class ClientMessages {
  readonly #core: Core
  readonly #callers: Callers
  readonly #presses = new Lanes<PressId>()
  readonly #edits = new Lanes<MessageId>()

  constructor(core: Core, callers: Callers) {
    this.#core = core
    this.#callers = callers
  }

  /** A person never met: the private chat is opened first. Resolves when the relay has the message durably. */
  async sendText(id: ChatId, asked: NewText, within: Once): Promise<Message> {
    const deadline = this.#callers.deadline(within)
    return await this.#callers.once(within, given =>
      sendNewMessage(this.#core, id, { kind: text, asked, deadline, ...given }),
    )
  }

  /** The message that was sent under the key, if there is one: what was in doubt is settled by that. Nothing is sent. */
  async findSent(id: ChatId, within: Required<Once>): Promise<Message | undefined> {
    const deadline = this.#callers.deadline(within)
    return await this.#callers.once(within, async () => {
      await this.#core.link.whenOnline(deadline.leftMs())
      const earlier = await findEarlier(this.#core, id, { given: within.idempotency, deadline })
      return earlier?.kind === 'sent' ? earlier.message : undefined
    })
  }

  /** The message as it stands then. */
  async edit(id: ChatId, asked: MessageEdit, within: Within): Promise<Message> {
    edit.check(this.#core, id, asked)
    const deadline = this.#callers.deadline(within)
    // One after the other: mentions alone say the text again, and must not take back one that is on its way.
    return await this.#edits.run(asked.message, async () => {
      await sendEdit(this.#core, id, { asked, deadline })
      return this.get(id, asked.message)
    })
  }

  async sendPoll(id: ChatId, asked: NewPoll, within: Once): Promise<Message> {
    const deadline = this.#callers.deadline(within)
    return await this.#callers.once(within, given =>
      sendNewMessage(this.#core, id, { kind: poll, asked, deadline, ...given }),
    )
  }

  /** No options take the vote back. */
  async vote(id: ChatId, asked: NewVote, within: Once): Promise<void> {
    const deadline = this.#callers.deadline(within)
    await this.#callers.once(within, given => sendAbout(this.#core, id, { kind: vote, asked, deadline, ...given }))
    assertCounted(this.#core, asked.message)
  }

  async closePoll(id: ChatId, message: MessageId, within: Once): Promise<void> {
    const deadline = this.#callers.deadline(within)
    await this.#callers.once(within, given =>
      sendAbout(this.#core, id, { kind: close, asked: { message }, deadline, ...given }),
    )
  }

  /** Told to the bot alone. Gives the id under which it may answer. */
  async press(id: ChatId, pressed: { message: MessageId; data: string }, within: Within): Promise<PressId> {
    return await pressButton(this.#core, { chat: id, ...pressed }, this.#callers.deadline(within))
  }

  /** Shown to the presser alone; once, and within a minute of the press. */
  async answerPress(press: PressId, text: string, within: Once): Promise<void> {
    const deadline = this.#callers.deadline(within)
    await this.#callers.once(within, idempotency =>
      this.#presses.run(press, () => answerPress(this.#core, { press, text, ...idempotency }, deadline)),
    )
  }

  async delete(id: ChatId, asked: { message: MessageId; for: 'all' | 'me' }, within: Within): Promise<void> {
    if (asked.for === 'me') return await deleteHere(this.#core, id, asked.message)
    await sendAbout(this.#core, id, { kind: deletion, asked, deadline: this.#callers.deadline(within) })
  }

  /** An empty emoji takes the reaction back. */
  async react(id: ChatId, asked: NewReaction, within: Within): Promise<void> {
    await sendAbout(this.#core, id, { kind: reaction, asked, deadline: this.#callers.deadline(within) })
  }

  /** Everything when no message is named. */
  async markRead(id: ChatId, upTo?: MessageId): Promise<void> {
    await markRead(this.#core, id, upTo)
  }

  async call(id: ChatId, within: Within): Promise<void> {
    const callId = toBase32(this.#core.provider.randomBytes(SEND_ID_BYTES))
    const draft = newDraft(this.#core, call.body(this.#core, id, { call: callId, state: 'ringing' }))
    await sendContent(this.#core, id, { draft, deadline: this.#callers.deadline(within) })
  }

  /** Oldest first; the newest page when `beforeTs` is absent. */
  list(id: ChatId, page: { beforeTs?: number; limit: number }): Message[] {
    visibleChat(this.#core.store, id)
    return viewMessages(this.#core.store, listMessages(this.#core.store, id, page), this.#core.own.id)
  }

  get(id: ChatId, message: MessageId): Message {
    visibleChat(this.#core.store, id)
    return viewMessage(this.#core.store, findMessage(this.#core.store, id, message), this.#core.own.id)
  }
}
