// The views that a page may watch: each is read in the worker, and sent again when it has changed.
import type {
  ChatDetail,
  ChatLine,
  HistoryWindow,
  OutgoingMessage,
  OwnProfile,
  Person,
  PersonDetail,
  PressState,
} from './objects.ts'
import type { BackupState, Settings } from './settings.ts'
import type { Stage } from './stage.ts'

/** A window of rows around a time, or at the end. With `message`, around that one, whose time a link does not contain. */
export type HistoryAnchor = { at: 'end' } | { at: number; message?: string }

export type Views = {
  stage: { args: []; value: Stage }
  me: { args: []; value: OwnProfile }
  connection: { args: []; value: 'online' | 'connecting' }
  /** Pinned ones first, then the newest. Requests, too: by `state`. */
  chats: { args: []; value: ChatLine[] }
  /**
   * The pictures of people in private chats as data: URLs, by account. Separate from the chats, or each message would
   * post them all.
   */
  faces: { args: []; value: Record<string, string> }
  /** For the title and the badge: of chats that are not muted. */
  unread: { args: []; value: { chats: number; messages: number } }
  /** Undefined when there is no such chat. */
  chat: { args: [chat: string]; value: ChatDetail | undefined }
  history: { args: [chat: string, anchor: HistoryAnchor, limit: number]; value: HistoryWindow }
  outgoing: { args: [chat: string]; value: OutgoingMessage[] }
  /** By message. */
  presses: { args: [chat: string]; value: Record<string, PressState> }
  person: { args: [account: string]; value: PersonDetail }
  /** The people who can be added to a group: people and bots of private chats. */
  contacts: { args: []; value: (Person & { bot: boolean })[] }
  blocked: { args: []; value: Person[] }
  settings: { args: []; value: Settings }
  keeping: { args: []; value: BackupState }
}

export type ViewName = keyof Views
export type ViewArgs<Name extends ViewName> = Views[Name]['args']
export type ViewValue<Name extends ViewName> = Views[Name]['value']
