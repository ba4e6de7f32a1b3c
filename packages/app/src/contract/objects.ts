// The objects that the worker sends to pages for display. Plain data, so that it passes through a port or a channel.
import type { Notice } from '@postern/bot-api/events'
import type { Chat, FileInfo, Message, Person } from '@postern/bot-api/objects'
import type { TextEntity } from '@postern/protocol'

export type { Notice } from '@postern/bot-api/events'
export type { Chat, FileInfo, Message, Person, Poll } from '@postern/bot-api/objects'

/** The file of a history has these in addition to the bot API. */
export type ScreenHints = { album?: string; wave?: string }

export const hintsOf = (file: FileInfo | undefined): ScreenHints => (file ?? {}) as ScreenHints

/** A line of a conversation. */
export type HistoryLine =
  | { kind: 'message'; message: Message }
  | { kind: 'notice'; id: string; ts: number; notice: Notice }

/** The rows of a window onto a conversation, oldest first. */
export type HistoryWindow = {
  rows: HistoryLine[]
  hasOlder: boolean
  hasNewer: boolean
  /** By id: messages outside of the window to which its rows, or the draft, reply. */
  quoted?: Record<string, Message>
  /** At the end: texts that others are still making. With the rows, because a message replaces its text in one step. */
  growing?: GrowingText[]
}

export type GrowingText = { person: Person; text: string; entities?: TextEntity[] }

/** The unsent content of the text field. */
export type Draft = { text: string; reply_to?: string }

/** A person's settings for a chat, on this device. */
export type ChatMarks = { muted: boolean; pinned: boolean; archived: boolean }

/** A line of the chat list. */
export type ChatLine = Chat &
  ChatMarks & {
    /** The newest message or notice. */
    last?: HistoryLine
    last_ts: number
    draft?: string
    /** The number of messages that wait to be sent, and whether one was refused. */
    waiting: number
    refused: boolean
  }

export type CommandInfo = { name: string; description: string; args?: string }

/** A chat that is open on a screen. */
export type ChatDetail = Chat &
  ChatMarks & {
    draft?: Draft
    /** In a private chat with a bot. */
    bot?: BotFacts
    /** In a private chat: compared in person, or by a code. */
    verified: boolean
    /** In a group: the bots in it with their commands. */
    groupBots: (BotFacts & { id: string; name: string })[]
    /** Nothing was sent or done in it yet. */
    isEmpty: boolean
    /** Where reading begins: the oldest unread message. */
    firstUnread?: { id: string; ts: number }
    /** In a group: the people who ask this person, an admin, for a place. Absent if there are none. */
    joinRequests?: Person[]
  }

export type GroupLinkView = { token: string; url: string }

/** `title`: as the link claims it. */
export type AskedJoinView = {
  account: string
  name: string
  token: string
  title: string
  state: 'waiting' | 'declined'
}

export type BotFacts = { about: string; commands: CommandInfo[] }

export type PersonDetail = {
  id: string
  name: string
  about: string
  bot: boolean
  avatar?: string
  commands: CommandInfo[]
  verified: boolean
  blocked: boolean
  /** Groups that both are in. */
  groups: { id: string; name: string }[]
}

export type OwnProfile = { id: string; name: string; about: string; avatar?: string; inviteUrl: string }

/** A message on its way out: shown below the conversation until the relay has it. */
export type OutgoingMessage = {
  key: string
  chat: string
  madeMs: number
  body: OutgoingBody
  state: OutgoingState
}

type OutgoingWords = { entities?: EntityView[]; reply_to?: string; forwarded?: boolean }

export type OutgoingBody =
  | (OutgoingWords & { kind: 'text'; text: string; mentions?: MentionView[] })
  | (OutgoingWords & { kind: 'file'; file: OutgoingFile; text?: string })
  | { kind: 'poll'; poll: PollDraft; reply_to?: string }

export type OutgoingFile = {
  name: string
  type: string
  size: number
  kind: 'photo' | 'video' | 'voice' | 'file'
  width?: number
  height?: number
  duration_ms?: number
  preview?: string
  /** Files with the same id are shown together. */
  album?: string
  /** The bars of a voice message: a character for each. */
  wave?: string
}

/**
 * `waiting`: for the network, or for earlier ones. `doubt`: the relay did not answer, and the outcome is being checked.
 * `refused` stops later ones until it is retried or deleted.
 */
export type OutgoingState =
  | { kind: 'waiting' }
  /** `sentBytes`: of a file that is being uploaded. While it is present, the message can be taken back. */
  | { kind: 'sending'; sentBytes?: number }
  | { kind: 'doubt' }
  | { kind: 'refused'; fault: FaultView }

export type EntityView = TextEntity
export type MentionView = { user: string; offset: number; length: number }
export type PollDraft = { question: string; options: string[]; multiple: boolean; close_ts?: number }

/** An error in the form for a page: screens translate it. */
export type FaultView = {
  code: string
  message: string
  details?: Record<string, string | number | boolean | undefined>
}

/** The pressed button of a message, and the state of the press. */
export type PressState = { data: string; state: 'pending' | 'unanswered' }

export type SafetyNumberView = { account: string; number: string; qr: string }

/** The space that the account takes on this device. */
export type StorageUseView = {
  messageBytes: number
  /** Downloaded and sent files: they can be fetched again, as long as the relay has them. */
  fileBytes: number
  /** The rest of the database: keys, groups, indexes and free pages. */
  otherBytes: number
  /** Largest first. */
  chats: { id: string; name: string; messages: number; files: number; bytes: number }[]
}
