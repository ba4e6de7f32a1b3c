// The calls of a page. Each has a key of its own: repeated after the core has moved, it counts once.
import type { PictureHead } from '@postern/protocol'
import type {
  EntityView,
  FaultView,
  MentionView,
  Message,
  OutgoingFile,
  PollDraft,
  SafetyNumberView,
  StorageUseView,
} from './objects.ts'
import type { NoPushReason, Settings } from './settings.ts'

/** Where a push service accepts pushes for this browser, and the keys to seal them with. */
export type PushAddress = { endpoint: string; p256dh: Uint8Array; auth: Uint8Array }

type InChat = { chat: string }
type OfMessage = InChat & { message: string }
type Words = { text: string; mentions?: MentionView[]; entities?: EntityView[] }

export type Calls = {
  // The account.
  createAccount: { asked: { name: string }; answer: void }
  /** The inviter, with or without an account; the name is empty when the relay has no profile that the link opens. */
  previewInvite: {
    asked: { link: string }
    /** `group`: the title that a link to a group claims. */
    answer: { account: string; name: string; about: string; bot: boolean; avatar?: string; group?: string }
  }
  /** Returns the chat's id. */
  /** By a start link, it also sends the command that begins the chat: once for each press. */
  openInvite: { asked: { link: string; press?: string }; answer: { chat: string } }
  /** Asks the admin who made the link. */
  askToJoin: { asked: { link: string }; answer: { state: 'waiting' | 'declined' } }
  /** On this device alone. */
  forgetAsked: { asked: { account: string; token: string }; answer: void }
  newInvite: { asked: Record<string, never>; answer: void }
  setProfile: { asked: { name?: string; about?: string; avatar?: Blob | null }; answer: void }
  /** From this browser alone. */
  removeAccount: { asked: Record<string, never>; answer: void }
  /** At the relay, permanently, and then from this browser. */
  deleteAccount: { asked: Record<string, never>; answer: void }
  /** The account was opened elsewhere: open it here again. */
  useHere: { asked: Record<string, never>; answer: void }
  /** The relay accepts new accounts only with a code: answered when it has accepted this one. */
  useRelayCode: { asked: { code: string }; answer: void }

  /** Opens a locked account. */
  unlock: { asked: { passphrase: string }; answer: void }
  /** Sets, changes or removes the passphrase. `current`: needed when there is one. */
  setLock: { asked: { passphrase?: string; current?: string }; answer: void }
  lockNow: { asked: Record<string, never>; answer: void }
  /** The person has touched something or pressed a key. */
  active: { asked: Record<string, never>; answer: void }

  // Saving it.
  newWords: { asked: Record<string, never>; answer: { words: string[] } }
  recoveryFile: { asked: { words: string[] }; answer: { file: Blob; name: string } }
  backupFile: { asked: { words: string[] }; answer: { file: Blob; name: string } }
  /** Either file; returns which it was. */
  restore: { asked: { file: Blob; words: string[] }; answer: { kind: 'recovery' | 'backup' } }
  /** The account moves to another device: a code to scan or type there. */
  moveOut: { asked: Record<string, never>; answer: { code: string } }
  /** The code is no longer wanted. */
  cancelMove: { asked: Record<string, never>; answer: void }
  /**
   * The owner of the account behind a code. `fetchToken` is a secret of the page: the relay gives the copy to one
   * fetcher.
   */
  lookAtMove: { asked: { code: string; fetchToken: string }; answer: { name: string; avatar?: string } }
  moveIn: { asked: { code: string; fetchToken: string }; answer: void }
  askToPersist: { asked: Record<string, never>; answer: { persisted: boolean } }

  /** The space of the account on this device. Reads the sizes of all messages. */
  storageUse: { asked: Record<string, never>; answer: StorageUseView }
  /** Removes files of older messages that can be fetched again, as long as the relay has them. */
  removeFiles: { asked: { olderThanDays: number }; answer: { files: number; bytes: number } }

  // Sending: durable in the queue when it is answered.
  send: { asked: InChat & Words & { reply_to?: string }; answer: void }
  sendFile: {
    asked: InChat & { bytes: Blob; file: OutgoingFile; text?: string; entities?: EntityView[]; reply_to?: string }
    answer: void
  }
  sendPoll: { asked: InChat & { poll: PollDraft; reply_to?: string }; answer: void }
  /** As new messages of this person, in their order. Polls are refused. */
  forward: { asked: InChat & { messages: string[]; to: string[] }; answer: void }
  /** A waiting or refused message is not sent any more. */
  takeBack: { asked: { outgoing: string }; answer: void }
  retry: { asked: { outgoing: string }; answer: void }

  // About messages.
  edit: { asked: OfMessage & Words; answer: void }
  erase: { asked: OfMessage & { for: 'all' | 'me' }; answer: void }
  react: { asked: OfMessage & { emoji: string }; answer: void }
  vote: { asked: OfMessage & { options: number[] }; answer: void }
  closePoll: { asked: OfMessage; answer: void }
  press: { asked: OfMessage & { data: string }; answer: void }
  read: { asked: InChat & { upTo?: string }; answer: void }
  draft: { asked: InChat & { text: string; reply_to?: string }; answer: void }
  /** The person is typing. Sent if the owner wants it and the relay can be reached; nobody learns otherwise. */
  typing: { asked: InChat; answer: void }
  /** Fetched and checked if needed. `picture`: the head of a photo, if it can be read. */
  openFile: { asked: OfMessage; answer: { bytes: Blob; picture?: PictureHead } }
  search: { asked: { text: string; chat?: string; beforeTs?: number; limit: number }; answer: { messages: Message[] } }

  // Chats.
  accept: { asked: InChat; answer: void }
  decline: { asked: InChat; answer: void }
  /** On this device alone, including unsent messages: others keep their copies. */
  clearHistory: { asked: InChat; answer: void }
  /** The same; the chat is hidden until its next message, and a group is left. */
  deleteChat: { asked: InChat; answer: void }
  /** Shows a deleted chat with a person again. Answers whether there is a chat. */
  showChat: { asked: InChat; answer: { isThere: boolean } }
  /** Begins a chat with somebody from a group: they learn the person's name. */
  beginChat: { asked: { account: string }; answer: void }
  block: { asked: { account: string }; answer: void }
  unblock: { asked: { account: string }; answer: void }
  createGroup: { asked: { name: string; members: string[] }; answer: { chat: string } }
  addMembers: { asked: InChat & { members: string[] }; answer: void }
  removeMembers: { asked: InChat & { members: string[] }; answer: void }
  renameGroup: { asked: InChat & { name: string }; answer: void }
  /** Null removes it. */
  setGroupPicture: { asked: InChat & { picture: Blob | null }; answer: void }
  setTimer: { asked: InChat & { timerMs: number }; answer: void }
  setAdmin: { asked: InChat & { account: string; role: 'admin' | 'member' }; answer: void }
  /** A link to the group, if this person has none yet. */
  makeGroupLink: { asked: InChat; answer: void }
  revokeGroupLink: { asked: InChat & { token: string }; answer: void }
  answerJoin: { asked: InChat & { account: string; answer: 'add' | 'decline' }; answer: void }
  leaveGroup: { asked: InChat; answer: void }
  callPerson: { asked: InChat; answer: void }
  markChat: { asked: InChat & { muted?: boolean; pinned?: boolean; archived?: boolean }; answer: void }

  // People.
  safetyNumber: { asked: { account: string }; answer: SafetyNumberView }
  setVerified: { asked: { account: string; verified: boolean }; answer: void }

  // The app.
  setSettings: { asked: Partial<Settings>; answer: void }
  /** The key under which the relay signs its pushes; none if the relay sends none. */
  pushKey: { asked: Record<string, never>; answer: { key?: Uint8Array } }
  /** Without an address nothing is pushed any more, and nothing about the account is left to the service worker. */
  setPush: { asked: { address?: PushAddress; reason?: NoPushReason }; answer: void }
  /** Which chat this page shows, and whether somebody looks at it: a visible message causes no alert. */
  looking: { asked: { chat?: string; focused: boolean }; answer: void }
}

export type AppCallName = keyof Calls
export type CallAsked<Name extends AppCallName> = Calls[Name]['asked']
export type AppCallAnswer<Name extends AppCallName> = Calls[Name]['answer']

/** The error of a rejected call on a page. */
export class CallError extends Error {
  readonly fault: FaultView

  constructor(fault: FaultView) {
    super(fault.message)
    this.name = 'CallError'
    this.fault = fault
  }
}
