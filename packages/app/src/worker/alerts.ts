// Alerts pages of messages that came while nobody looked: by the person's settings, and never for muted chats.
import type { Client, JournalEvent } from '@postern/core'
import type { ChatId, PressId } from '@postern/protocol'
import type { Message, Person } from '../contract/objects.ts'
import type { PushEvent } from '../contract/push-events.ts'
import type { ChatMarkings } from './chat-marks.ts'
import type { Presses } from './presses.ts'
import type { AppSettings } from './settings.ts'

export type AlertContext = {
  client: Pick<Client, 'chats'>
  marks: ChatMarkings
  settings: AppSettings
  presses: Presses
  /** Whether a visible page shows the chat. */
  isSeen: (chat: string) => boolean
  tell: (tiding: PushEvent) => void
}

export class Alerts {
  readonly #parts: AlertContext
  /** A stranger's request causes one alert, however many messages come with it. */
  readonly #requests = new Set<string>()

  constructor(parts: AlertContext) {
    this.#parts = parts
  }

  hear(event: JournalEvent): void {
    const { chat_id: chat } = event
    if (event.type === 'message') this.#alert(chat, wordsOf(event.message))
    if (event.type === 'call' && event.call.state === 'ringing')
      this.#alert(chat, { from: event.call.from.name, words: '' })
    if (event.type === 'chat' && event.chat.state === 'request') this.#alertRequest(chat)
    if (event.type === 'toast') this.#tellToast(chat, event.toast)
  }

  /** The content of a notification has been seen. */
  seen(chat: ChatId): void {
    this.#parts.tell({ kind: 'alert-over', chat })
  }

  #alert(chat: ChatId, { from, words }: { from: string; words: string }): void {
    const { client, settings, isSeen, marks, tell } = this.#parts
    if (isSeen(chat) || marks.get(chat).muted) return
    const { notify, sound } = settings.get()
    const { name, type } = client.chats.get(chat)
    const text = type === 'group' ? `${from}: ${words}` : words
    const title = notify === 'nothing' ? '' : name
    tell({ kind: 'alert', chat, title, text: notify === 'words' && words !== '' ? text : '', sound })
  }

  /** A stranger's name and words are not shown unasked. */
  #alertRequest(chat: ChatId): void {
    if (this.#requests.has(chat)) return
    this.#requests.add(chat)
    const { settings, isSeen, tell } = this.#parts
    if (!isSeen(chat)) tell({ kind: 'alert', chat, title: '', text: '', sound: settings.get().sound })
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

const wordsOf = ({ from, text, poll, file }: Message): { from: string; words: string } => ({
  from: from.name,
  words: text ?? poll?.question ?? file?.name ?? '',
})
