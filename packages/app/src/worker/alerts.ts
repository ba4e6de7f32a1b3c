// Alerts pages of messages that came while nobody looked: by the person's settings, and never for muted chats or silent
// messages.
import type { Client, JournalEvent } from '@postern/core'
import type { ChatId, PressId } from '@postern/protocol'
import { notifiedWords } from '@postern/protocol/preview'
import type { Message, Person } from '../contract/objects.ts'
import type { PushEvent } from '../contract/push-events.ts'
import type { ChatMarkings } from './chat-marks.ts'
import type { Presses } from './presses.ts'
import type { AppSettings } from './settings.ts'

export type AlertContext = {
  client: Pick<Client, 'chats' | 'account'>
  marks: ChatMarkings
  settings: AppSettings
  presses: Presses
  /** Whether a visible page shows the chat. */
  isSeen: (chat: string) => boolean
  tell: (tiding: PushEvent) => void
}

type AlertContent = { from: string; words: string; isMention: boolean; message?: string; ts?: number }

export class Alerts {
  readonly #parts: AlertContext
  /** A stranger's request causes one alert, however many messages come with it. */
  readonly #requests = new Set<string>()
  /** Groups with an alert of people who ask to join: a public link may bring many. */
  readonly #joins = new Set<string>()

  constructor(parts: AlertContext) {
    this.#parts = parts
  }

  hear(event: JournalEvent): void {
    const { chat_id: chat } = event
    if (event.type === 'message' && !event.message.silent) this.#alert(chat, this.#contentOf(event.message))
    if (event.type === 'call' && event.call.state === 'ringing')
      this.#alert(chat, { from: event.call.from.name, words: '', isMention: false })
    if (event.type === 'chat' && event.chat.state === 'request') this.#alertRequest(chat)
    if (event.type === 'join_request') this.#alertJoin(chat)
    if (event.type === 'toast') this.#tellToast(chat, event.toast)
  }

  /** The content of a notification has been seen. */
  seen(chat: ChatId): void {
    this.#joins.delete(chat)
    this.#parts.tell({ kind: 'alert-over', chat })
  }

  /** A muted chat alerts of mentions alone. */
  #alert(chat: ChatId, { from, words, ...message }: AlertContent): void {
    const { client, settings, isSeen, marks, tell } = this.#parts
    const { notify } = settings.get()
    if (notify === 'off' || isSeen(chat) || (marks.get(chat).muted && !message.isMention)) return
    const { name, type } = client.chats.get(chat)
    const text = type === 'group' ? `${from}: ${words}` : words
    const title = notify === 'nothing' ? '' : name
    tell({ kind: 'alert', chat, title, text: notify === 'words' && words !== '' ? text : '', ...message })
  }

  #contentOf({ id, ts, from, mentions, ...content }: Message): AlertContent {
    const isMention = mentions?.some(({ user }) => user === this.#parts.client.account) ?? false
    return { from: from.name, words: notifiedWords(content), message: id, ts, isMention }
  }

  /** A stranger's name and words are not shown unasked. */
  #alertRequest(chat: ChatId): void {
    if (this.#requests.has(chat)) return
    this.#requests.add(chat)
    const { settings, isSeen, tell } = this.#parts
    if (settings.get().notify !== 'off' && !isSeen(chat))
      tell({ kind: 'alert', chat, title: '', text: '', isMention: false })
  }

  /** The name of a stranger is not shown unasked. */
  #alertJoin(chat: ChatId): void {
    const { client, settings, isSeen, marks, tell } = this.#parts
    const { notify } = settings.get()
    if (notify === 'off' || isSeen(chat) || marks.get(chat).muted || this.#joins.has(chat)) return
    this.#joins.add(chat)
    const title = notify === 'nothing' ? '' : client.chats.get(chat).name
    tell({ kind: 'alert', chat, title, text: '', isMention: false, asksToJoin: true })
  }

  #tellToast(chat: ChatId, { press_id, text }: { press_id: PressId; text: string }): void {
    const { presses, tell } = this.#parts
    const from = presses.botOf(press_id) ?? this.#anyBot(chat)
    if (from) tell({ kind: 'toast', chat, from, text })
  }

  /** After a restart the press is forgotten: in a private chat it is clear whose answer it is. */
  #anyBot(chat: ChatId): Person | undefined {
    return this.#parts.client.chats.get(chat).members.find(member => member.bot)
  }
}
