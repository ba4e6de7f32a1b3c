// The views that a page may watch: each is read in the worker, and sent again when it has changed.
import type {
  AskedJoinView,
  ChatDetail,
  ChatLine,
  GroupLinkView,
  HistoryWindow,
  Message,
  OutgoingMessage,
  OwnProfile,
  Person,
  PersonDetail,
  PressState,
} from './objects.ts'
import type { BackupState, PushState, Settings } from './settings.ts'
import type { Stage } from './stage.ts'

/** A window of rows around a time, or at the end. With `message`, around that one, whose time a link does not contain. */
export type HistoryAnchor = { at: 'end' } | { at: number; message?: string }

/** `seen`: photos and videos. `links`: messages whose words may contain one. */
export type MediaKind = 'seen' | 'files' | 'voices' | 'links'
/** Before a time and not older than another, or on both sides of one. */
export type MediaSpan = { before?: number; from?: number } | { around: number }

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
  /** The person's own links to a group, oldest first. */
  groupLinks: { args: [chat: string]; value: GroupLinkView[] }
  /** The groups in which the person has asked for a place, oldest first. */
  asked: { args: []; value: AskedJoinView[] }
  history: { args: [chat: string, anchor: HistoryAnchor, limit: number]; value: HistoryWindow }
  /** Newest first. Empty while the chat is a request. */
  media: { args: [chat: string, kind: MediaKind, span: MediaSpan, limit: number]; value: Message[] }
  outgoing: { args: [chat: string]; value: OutgoingMessage[] }
  /** By message. */
  presses: { args: [chat: string]; value: Record<string, PressState> }
  /** The names of those who type now, by chat. Empty if the owner does not want to see it. */
  typing: { args: []; value: Record<string, string[]> }
  person: { args: [account: string]; value: PersonDetail }
  /** The people who can be added to a group: people and bots of private chats. */
  contacts: { args: []; value: (Person & { bot: boolean })[] }
  blocked: { args: []; value: Person[] }
  settings: { args: []; value: Settings }
  keeping: { args: []; value: BackupState }
  /** The leading page finds it out, and every page shows it. */
  push: { args: []; value: PushState }
  /** Whether the app asks for a passphrase when it is opened. */
  lock: { args: []; value: { isSet: boolean } }
}

export type ViewName = keyof Views
export type ViewArgs<Name extends ViewName> = Views[Name]['args']
export type ViewValue<Name extends ViewName> = Views[Name]['value']
