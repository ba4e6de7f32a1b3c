// The fields that a send may have besides its text.
import type { NewButton, Operations } from './api-types.ts'
import type { Buttons } from './buttons.ts'

type TextFields = Omit<Operations['sendMessage']['params'], 'chat' | 'text' | 'buttons'>
export type PollFields = Omit<Operations['sendPoll']['params'], 'chat' | 'question' | 'options'>
export type AlbumFields = Omit<Operations['sendAlbum']['params'], 'chat' | 'files'>
export type FileFields = Omit<Operations['sendFile']['params'], 'chat' | 'file'>

export type Extra = TextFields & {
  buttons?: NewButton[][] | Buttons | undefined
  /** The name of this step, if its text may differ when the handler runs again: it is sent once in any case. */
  key?: string | undefined
}
export type EditExtra = Omit<Extra, 'reply_to' | 'silent' | 'key'>
