// The message operations of a client: sending, reading, editing, reacting, voting and pressing buttons.
import type { Message } from '@postern/bot-api/objects'
import { type ChatId, KeyedQueue, type MessageId, type PressId, SEND_ID_BYTES, toBase32 } from '@postern/protocol'
import { visibleChat } from '../chats/records/chats.ts'
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
import { type MediaSearch, mediaIn } from '../messages/media.ts'
import { findMessage, firstUnread, lookUpMessage } from '../messages/messages.ts'
import { markRead } from '../messages/read.ts'
import { setReadReceipts } from '../messages/read-receipts.ts'
import { type MessageSearch, searchMessages } from '../messages/search.ts'
import { findEarlier } from '../outbox/idempotency.ts'
import { sendAbout } from '../outbox/send-about.ts'
import { sendEdit } from '../outbox/send-edit.ts'
import { sendNewMessage } from '../outbox/send-new-message.ts'
import { answerPress, pressButton } from '../outbox/send-press.ts'
import { type WaitingSend, waitingSends } from '../outbox/waiting.ts'
import { isKeySent } from '../storage/state/idempotency-keys.ts'
import { deleteHere } from '../timeline/delete-here.ts'
import { type HistoryPage, historyPage, messagePage, type PagePlace } from '../timeline/history.ts'
import { viewMessage, viewMessages } from '../timeline/view-message.ts'
import type { Callers, ClientCallOptions } from './callers.ts'

/** At most one of the three. */
export type MessagePlace = { beforeTs?: number; afterTs?: number; around?: MessageId }

function pagePlace({ beforeTs, afterTs, around }: MessagePlace): PagePlace {
  if (around !== undefined) return { around }
  if (afterTs !== undefined) return { after: afterTs }
  return beforeTs === undefined ? {} : { before: beforeTs }
}

export class ClientMessages {
  readonly #core: Core
  readonly #callers: Callers
  readonly #presses = new KeyedQueue<PressId>()
  readonly #edits = new KeyedQueue<MessageId>()

  constructor(core: Core, callers: Callers) {
    this.#core = core
    this.#callers = callers
  }

  /** Opens the private chat first if there is none. Resolves when the relay has the message durably. */
  async sendText(id: ChatId, asked: NewText, within: ClientCallOptions): Promise<Message> {
    const deadline = this.#callers.deadline(within)
    return await this.#callers.once(within, given =>
      sendNewMessage(this.#core, id, { kind: text, asked, deadline, ...given }),
    )
  }

  /** The message that was sent under the key, if any. Settles a send that is in doubt, and sends nothing. */
  async findSent(id: ChatId, within: Required<ClientCallOptions>): Promise<Message | undefined> {
    const deadline = this.#callers.deadline(within)
    return await this.#callers.once(within, async () => {
      await this.#core.link.whenOnline(deadline.leftMs())
      const earlier = await findEarlier(this.#core, id, { given: within.idempotency, deadline })
      return earlier?.kind === 'sent' ? earlier.message : undefined
    })
  }

  /** Whether this client knows of a message that was sent under the key. Does not ask the relay. */
  wasSent(key: string): boolean {
    return isKeySent(this.#core.store, key)
  }

  /** Returns the message after the edit. */
  async edit(id: ChatId, asked: MessageEdit, within: ClientCallOptions): Promise<Message> {
    // An edit with a key may have been applied before, and be too late by now.
    if (!within.idempotency) edit.check(this.#core, id, asked)
    const deadline = this.#callers.deadline(within)
    // Edits of a message run one after the other:
    // an edit of mentions or entities alone repeats the text, and must not undo an edit that is in flight.
    return await this.#callers.once(within, given =>
      this.#edits.run(asked.message, async () => {
        await sendEdit(this.#core, id, { asked, deadline, ...given })
        return this.get(id, asked.message)
      }),
    )
  }

  async sendPoll(id: ChatId, asked: NewPoll, within: ClientCallOptions): Promise<Message> {
    const deadline = this.#callers.deadline(within)
    return await this.#callers.once(within, given =>
      sendNewMessage(this.#core, id, { kind: poll, asked, deadline, ...given }),
    )
  }

  /** An empty list of options takes the vote back. */
  async vote(id: ChatId, asked: NewVote, within: ClientCallOptions): Promise<void> {
    const deadline = this.#callers.deadline(within)
    await this.#callers.once(within, given => sendAbout(this.#core, id, { kind: vote, asked, deadline, ...given }))
    await assertCounted(this.#core, asked.message, deadline)
  }

  async closePoll(id: ChatId, message: MessageId, within: ClientCallOptions): Promise<void> {
    const deadline = this.#callers.deadline(within)
    await this.#callers.once(within, given =>
      sendAbout(this.#core, id, { kind: close, asked: { message }, deadline, ...given }),
    )
  }

  /** Only the bot receives the press. Returns the id for the bot's answer; the same key returns the same id. */
  async press(id: ChatId, pressed: { message: MessageId; data: string }, within: ClientCallOptions): Promise<PressId> {
    const deadline = this.#callers.deadline(within)
    return await this.#callers.once(within, given =>
      pressButton(this.#core, { chat: id, ...pressed, ...given }, deadline),
    )
  }

  /** Shown to the presser alone: once, and within a minute of the press. */
  async answerPress(
    press: PressId,
    text: string,
    { chats, ...within }: ClientCallOptions & { chats?: readonly string[] | undefined },
  ): Promise<void> {
    const deadline = this.#callers.deadline(within)
    await this.#callers.once(within, idempotency =>
      this.#presses.run(press, () => answerPress(this.#core, { press, text, chats, ...idempotency }, deadline)),
    )
  }

  async delete(id: ChatId, asked: { message: MessageId; for: 'all' | 'me' }, within: ClientCallOptions): Promise<void> {
    const deadline = this.#callers.deadline(within)
    await this.#callers.once(within, given =>
      asked.for === 'me'
        ? deleteHere(this.#core, id, { ...asked, ...given })
        : sendAbout(this.#core, id, { kind: deletion, asked, deadline, ...given }),
    )
  }

  /** An empty emoji takes the reaction back. */
  async react(id: ChatId, asked: NewReaction, within: ClientCallOptions): Promise<void> {
    const deadline = this.#callers.deadline(within)
    await this.#callers.once(within, given => sendAbout(this.#core, id, { kind: reaction, asked, deadline, ...given }))
  }

  /** Marks everything as read when no message is named. */
  async markRead(id: ChatId, upTo?: MessageId): Promise<void> {
    await markRead(this.#core, id, upTo)
  }

  /** Off: no author learns that a message was read, and nobody's reading is shown here. Receipts of arrival stay. */
  async setReadReceipts(choice: 'on' | 'off'): Promise<void> {
    await setReadReceipts(this.#core, choice)
  }

  async call(id: ChatId, within: ClientCallOptions): Promise<void> {
    const deadline = this.#callers.deadline(within)
    const asked = { call: toBase32(this.#core.provider.randomBytes(SEND_ID_BYTES)), state: 'ringing' } as const
    await this.#callers.once(within, given => sendAbout(this.#core, id, { kind: call, asked, deadline, ...given }))
  }

  /** Messages without notices, oldest first: before a time, after one, around a message, or the newest. */
  list(id: ChatId, page: MessagePlace & { limit: number }): Message[] {
    visibleChat(this.#core.store, id)
    const rows = messagePage(this.#core.store, id, { ...pagePlace(page), limit: page.limit })
    return viewMessages(this.#core.store, rows, { own: this.#core.own.id })
  }

  /** Messages and notices, oldest first. Returns the newest page when no place is named. */
  history(id: ChatId, page: PagePlace & { limit: number }): HistoryPage {
    visibleChat(this.#core.store, id)
    return historyPage(this.#core.store, id, { ...page, own: this.#core.own.id })
  }

  firstUnread(id: ChatId): { id: MessageId; ts: number } | undefined {
    visibleChat(this.#core.store, id)
    return firstUnread(this.#core.store, id)
  }

  /** Newest first, regardless of case: searches texts, captions, file names, and questions and options of polls. */
  search(wanted: MessageSearch): Message[] {
    if (wanted.chat) visibleChat(this.#core.store, wanted.chat)
    return viewMessages(this.#core.store, searchMessages(this.#core.store, wanted), { own: this.#core.own.id })
  }

  /** Messages with a file of these kinds, or with links, newest first. */
  media(id: ChatId, wanted: MediaSearch): Message[] {
    visibleChat(this.#core.store, id)
    return viewMessages(this.#core.store, mediaIn(this.#core.store, id, wanted), {
      own: this.#core.own.id,
      forScreen: true,
    })
  }

  /** Sends in this chat that the relay has not answered yet, oldest first. */
  waiting(id: ChatId): WaitingSend[] {
    visibleChat(this.#core.store, id)
    return waitingSends(this.#core, id)
  }

  has(id: ChatId, message: MessageId): boolean {
    return lookUpMessage(this.#core.store, id, message) !== undefined
  }

  get(id: ChatId, message: MessageId): Message {
    visibleChat(this.#core.store, id)
    return viewMessage(this.#core.store, findMessage(this.#core.store, id, message), this.#core.own.id)
  }
}
