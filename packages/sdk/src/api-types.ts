// Written by `npm run sdk-types` from the table of endpoints in packages/bot-api: do not edit.
import type { Download, FileSource, NamedFile } from './files.ts'

export type Person = {
  id: string
  name: string
  /** True for an account that is marked as a bot, absent for others. The mark is in its profile, which may arrive a moment after its first message. */
  bot?: boolean
}

export type Command = {
  name: string
  description: string
  /** A hint for the input field. Without it, tapping the command sends it. */
  args?: string
}

export type Me = {
  id: string
  name: string
  /** Opens a chat with the bot. */
  invite_url: string
  about: string
  commands: Command[]
  /** How many people that it does not know the bot may still write to today (UTC), as its relay counts them. Absent while the relay does not say it. */
  new_people_left?: number
}

export type Invite = {
  /** Names the link in this API. It opens nothing. */
  id: string
  /** The link. It contains a secret token in place of the payload. */
  url: string
  payload: string
  uses?: number
  /** How many people have come by it. */
  used: number
  expires?: number
  /** When it was created. */
  ts: number
}

export type GroupLink = {
  /** Names the link in this API, and is the secret in it. */
  token: string
  /** The link, with the current title of the group. */
  url: string
  /** When it was created. */
  ts: number
}

export type WaitingRequest = {
  from: Person
  /** When the person asked. */
  ts: number
}

export type AskedJoin = {
  /** The admin who made the link. */
  account: string
  token: string
  /** The title of the group as the link claims it. */
  title: string
  ts: number
  /** One of `waiting`, `declined`; more may be added. */
  state: 'waiting' | 'declined'
}

export type Member = {
  id: string
  name: string
  bot: boolean
  admin?: boolean
}

export type Chat = {
  /** A private chat: the other person's account id. */
  id: string
  /** One of `private`, `group`; more may be added. */
  type: 'private' | 'group'
  /** The person's name, or the group's title. */
  name: string
  /** One of `active`, `request`, `left`; more may be added. `request`: waits to be accepted; `left`: the bot is no longer a member. */
  state: 'active' | 'request' | 'left'
  /** Including the bot. */
  members: Member[]
  /** How long messages are kept after they were read; 0: no limit. */
  timer_ms: number
  unread: number
  /** When the bot first saw the chat. */
  ts: number
  /** The person is blocked: the bot receives nothing from them, and cannot write to them. */
  blocked?: boolean
  /** The safety number of this person was compared. */
  verified?: boolean
}

export type PersonProfile = {
  id: string
  name: string
  /** Whether the account is marked as a bot. */
  bot: boolean
  /** Empty if the person has written nothing, or it has not arrived yet. */
  about: string
  /** The picture: a data: URL of a JPEG, PNG or WebP file. Absent if there is none. */
  avatar?: string
}

export type SafetyNumber = {
  account: string
  /** Twelve groups of five digits: both sides see the same, unless somebody intercepts the chat. */
  number: string
  /** The same as the content of a QR code: equal on both sides. */
  qr: string
  /** Whether the operator of the bot has noted that both numbers were compared. */
  verified: boolean
}

export type Mention = {
  user: string
  /** In UTF-16 code units. */
  offset: number
  /** In UTF-16 code units. */
  length: number
}

export type Entity = {
  /** One of `quote`, `spoiler`, `link`, `bold`, `italic`, `strike`, `code`, `pre`; more may be added. */
  type: 'quote' | 'spoiler' | 'link' | 'bold' | 'italic' | 'strike' | 'code' | 'pre'
  /** In UTF-16 code units. */
  offset: number
  /** In UTF-16 code units. */
  length: number
  /** Of a `link`: an http or https address. */
  url?: string
  /** Of a `pre`: the language of the code. */
  lang?: string
}

/** Has either `data`, which is sent back when it is pressed, or `url`. */
export type Button = {
  text: string
  data?: string
  url?: string
}

export type FileInfo = {
  name: string
  /** In bytes. */
  size: number
  /** A media type. */
  type: string
  /** One of `photo`, `video`, `voice`, `file`; more may be added. */
  kind: 'photo' | 'video' | 'voice' | 'file'
  width?: number
  height?: number
  duration_ms?: number
  /** A data: URL; photos only. */
  preview?: string
}

export type PollOption = {
  text: string
  votes: number
  voters: Person[]
}

export type Poll = {
  question: string
  multiple: boolean
  /** When it closes automatically. */
  close_ts?: number
  closed: boolean
  options: PollOption[]
  /** The bot's own vote: indexes of options. */
  voted: number[]
}

export type Reaction = {
  emoji: string
  from: Person
}

/** The sender pressed *Start* at this link of the bot, which was neither revoked, nor expired, nor used up. Absent for a text that somebody has typed. */
export type UsedInvite = {
  id: string
  payload: string
}

export type Message = {
  id: string
  chat_id: string
  from: Person
  /** The relay's time of acceptance, strictly rising within a chat. */
  ts: number
  /** The text, or the caption of a file. */
  text?: string
  reply_to?: string
  mentions?: Mention[]
  /** The formatting of the text, which is without marks: from outside to inside, in the order of the text. */
  entities?: Entity[]
  buttons?: Button[][]
  /** True if the sender wants nobody to be notified, absent for others. */
  silent?: boolean
  /** True if the sender passes on a message of another chat, absent for others. It does not say whose. */
  forwarded?: boolean
  invite?: UsedInvite
  file?: FileInfo
  /** The id of the album that the file belongs to: the same for the files that one sender has sent together, at most 10. */
  album?: string
  poll?: Poll
  reactions?: Reaction[]
  edited_ts?: number
  /** When a disappearing message is erased; set once its countdown has started. */
  expires_ts?: number
  /** One of `sent`, `delivered`, `read`; more may be added. The bot's own messages only. */
  status?: 'sent' | 'delivered' | 'read'
}

/** A system line of a chat. More codes may be added: ignore those that you do not know. */
export type Notice = CreatedNotice | JoinedNotice | LeftNotice | RemovedNotice | RenamedNotice | PictureNotice | AdminsNotice | TimerNotice | CallDeclinedNotice | UndecryptableNotice | KeyChangedNotice | RefusedNotice | RestartedNotice | MissingNotice | ForkedNotice | CutOffNotice | MismatchNotice

/** `text` is the title. */
export type CreatedNotice = {
  code: 'created'
  from: Person
  text: string
}

/** `from` has added `members`. */
export type JoinedNotice = {
  code: 'joined'
  from: Person
  members: Person[]
}

/** `from` has left. */
export type LeftNotice = {
  code: 'left'
  from: Person
}

/** `from` has removed `members`. */
export type RemovedNotice = {
  code: 'removed'
  from: Person
  members: Person[]
}

/** `text` is the new title. */
export type RenamedNotice = {
  code: 'renamed'
  from: Person
  text: string
}

/** `from` has set a new picture of the group; with `removed` true, it has none any more. */
export type PictureNotice = {
  code: 'picture'
  from: Person
  removed: boolean
}

/** `from` has made `members` admins of the group; with `admin` false, they are no longer admins. */
export type AdminsNotice = {
  code: 'admins'
  from: Person
  members: Person[]
  admin: boolean
}

/** Messages are kept for `timer_ms` after they were read; 0: no limit. */
export type TimerNotice = {
  code: 'timer'
  from: Person
  timer_ms: number
}

/** A call was declined: bots take no calls. */
export type CallDeclinedNotice = {
  code: 'call_declined'
  from: Person
}

/** A message from `from` could not be decrypted; the chat repairs itself. */
export type UndecryptableNotice = {
  code: 'undecryptable'
  from: Person
}

/** The device key of `from` has changed: a restore, or somebody else. Compare safety numbers. */
export type KeyChangedNotice = {
  code: 'key_changed'
  from: Person
}

/** `from` did something that the rules forbid; `text` says what. It had no effect. */
export type RefusedNotice = {
  code: 'refused'
  from: Person
  text: string
}

/** The group continues with new keys; `members` are no longer in it. */
export type RestartedNotice = {
  code: 'restarted'
  from: Person
  members?: Person[]
}

/** `count` messages from `from` did not arrive: the relay withholds them. */
export type MissingNotice = {
  code: 'missing'
  from: Person
  count: number
}

/** The relay has shown `from` another history; both are merged into one. */
export type ForkedNotice = {
  code: 'forked'
  from: Person
}

/** The relay no longer delivered to `members`, at the request of `from` or by itself; this is fixed. */
export type CutOffNotice = {
  code: 'cut_off'
  from: Person
  members: Person[]
}

/** The keys did not belong to the people shown; `text` says how. Nothing was sent with them. */
export type MismatchNotice = {
  code: 'mismatch'
  text: string
}

/** An event in a chat. More types may be added: ignore those that you do not know. */
export type Update = MessageUpdate | EditedUpdate | DeletedUpdate | ReactionUpdate | PollUpdate | ButtonUpdate | ExpiredUpdate | ChatUpdate | NoticeUpdate | DeliveredUpdate | ReadUpdate | JoinRequestUpdate

export type MessageUpdate = {
  id: number
  chat_id: string
  type: 'message'
  message: Message
}

export type EditedUpdate = {
  id: number
  chat_id: string
  type: 'edited'
  message: Message
}

export type DeletedUpdate = {
  id: number
  chat_id: string
  type: 'deleted'
  deleted: Deletion
}

export type ReactionUpdate = {
  id: number
  chat_id: string
  type: 'reaction'
  reaction: ReactionChange
}

export type PollUpdate = {
  id: number
  chat_id: string
  type: 'poll'
  message: Message
}

export type ButtonUpdate = {
  id: number
  chat_id: string
  type: 'button'
  button: Press
}

export type ExpiredUpdate = {
  id: number
  chat_id: string
  type: 'expired'
  expired: string[]
}

export type ChatUpdate = {
  id: number
  chat_id: string
  type: 'chat'
  chat: Chat
}

export type NoticeUpdate = {
  id: number
  chat_id: string
  type: 'notice'
  notice: Notice
}

export type DeliveredUpdate = {
  id: number
  chat_id: string
  type: 'delivered'
  delivered: Receipt
}

export type ReadUpdate = {
  id: number
  chat_id: string
  type: 'read'
  read: Receipt
}

export type JoinRequestUpdate = {
  id: number
  chat_id: string
  type: 'join_request'
  join_request: JoinRequest
}

export type Deletion = {
  message_id: string
  from: Person
}

export type ReactionChange = {
  message_id: string
  from: Person
  /** Empty if it was removed, or the message no longer exists. */
  emoji: string
}

export type Press = {
  message_id: string
  from: Person
  /** Empty if the message no longer exists. */
  data: string
  press_id: string
}

export type Receipt = {
  message_id: string
  from: Person
}

/** Somebody asks for a place in the group, by a link of yours. */
export type JoinRequest = {
  from: Person
}

export type Reader = {
  name: string
  /** Updates with a smaller id are confirmed. */
  offset: number
  /** Updates that wait for this reader. */
  pending: number
  /** Updates that were lost since this reader last confirmed one, because it did not confirm them in time. */
  dropped: number
  /** The types that it last asked for; absent: all. */
  types?: string[]
  /** The id of the token that has this reader for itself, because it is limited to chats. */
  token?: string
}

export type WebhookStatus = {
  /** Whether a webhook is set, by WEBHOOK_URL or over the API. */
  enabled: boolean
  /** True while delivery is paused, absent otherwise. */
  paused?: boolean
  /** Updates that wait to be delivered or polled. */
  pending: number
  last_attempt_ts?: number
  /** The error of the last failed attempt. */
  last_error?: string
  last_error_ts?: number
  /** Set while a failed update waits for its next attempt. */
  next_attempt_ts?: number
}

export type Hook = {
  id: string
  chat_id: string
  /** One of `alerts`, `pipeline`, `text`, `slack`, `grafana`, `uptime_kuma`, `github`, `gitlab`, `sentry`, `auto`, `template`; more may be added. The format of its posts. */
  format: 'alerts' | 'pipeline' | 'text' | 'slack' | 'grafana' | 'uptime_kuma' | 'github' | 'gitlab' | 'sentry' | 'auto' | 'template'
  /** One of `ru`, `en`; more may be added. The language of the words that the bot adds, if the hook was created with one; otherwise LANGUAGE. */
  lang?: 'ru' | 'en'
  /** True if its messages notify nobody, absent for other hooks. */
  silent?: boolean
  /** True if the hook was created with a `secret`: posts that do not prove it are 401. Absent for others. */
  signed?: boolean
  /** Only for the format `template`. */
  template?: string
  options?: HookOptions
  /** When it was created. */
  ts: number
  /** When the last post to it ended. Absent, as the next three, before the first one. */
  last_ts?: number
  /** The HTTP status that the sender of that post was answered. */
  last_status?: number
  /** One of `written`, `silent`, `refused`; more may be added. `silent`: 200, because there was nothing to write, or it was written before. */
  last_result?: 'written' | 'silent' | 'refused'
  /** Why it was refused. Never contains a posted word or a secret. */
  last_error?: string
}

/** For alerts, grafana, pipeline: messages that follow what they are about. */
export type HookOptions = {
  /** One message for each group of alerts, or each pipeline, that is edited as it changes. */
  living: boolean
  /** Format `alerts`: the spans for which people may silence a group. By default 1h and 24h. */
  silence?: string[]
  /** Who may press the buttons beside BOT_OWNERS: these accounts, or everybody in the chat. */
  allow?: 'members' | string[]
  /** No reply says that a group is resolved. */
  quiet_resolve?: boolean
}

export type CreatedHook = {
  id: string
  chat_id: string
  /** One of `alerts`, `pipeline`, `text`, `slack`, `grafana`, `uptime_kuma`, `github`, `gitlab`, `sentry`, `auto`, `template`; more may be added. The format of its posts. */
  format: 'alerts' | 'pipeline' | 'text' | 'slack' | 'grafana' | 'uptime_kuma' | 'github' | 'gitlab' | 'sentry' | 'auto' | 'template'
  /** One of `ru`, `en`; more may be added. The language of the words that the bot adds, if the hook was created with one; otherwise LANGUAGE. */
  lang?: 'ru' | 'en'
  /** True if its messages notify nobody, absent for other hooks. */
  silent?: boolean
  /** True if the hook was created with a `secret`: posts that do not prove it are 401. Absent for others. */
  signed?: boolean
  /** Only for the format `template`. */
  template?: string
  options?: HookOptions
  /** When it was created. */
  ts: number
  /** The address to post to. It contains the secret and is shown only here: the gateway stores a hash. */
  url: string
}

export type DryRun = {
  /** Only with `dry_run=1`, as all others: the text of the message. */
  text?: string
  /** The formatting of the text. */
  entities?: Entity[]
  buttons?: Button[][]
  /** The message that it would reply to. */
  reply_to?: string
  /** True if it would notify nobody. */
  silent?: boolean
  /** Why nothing would be written. */
  skipped?: string
}

export type ApiToken = {
  /** Names the token in this API. It opens nothing. */
  id: string
  name: string
  /** `read`, `send`, `hooks`, `admin`. */
  scopes: string[]
  /** The chats to which it is limited; absent: all. */
  chats?: string[]
  /** When it was created. */
  ts: number
  /** When it was last used. After a restart it may be up to a minute too early. Absent: never used. */
  last_used_ts?: number
}

export type CreatedToken = {
  /** Names the token in this API. It opens nothing. */
  id: string
  name: string
  /** `read`, `send`, `hooks`, `admin`. */
  scopes: string[]
  /** The chats to which it is limited; absent: all. */
  chats?: string[]
  /** When it was created. */
  ts: number
  /** When it was last used. After a restart it may be up to a minute too early. Absent: never used. */
  last_used_ts?: number
  /** The token itself. Only this answer contains it. */
  token: string
}

export type OpenapiDocument = {
  openapi: string
}

export type NewMention = {
  user: string
  /** In UTF-16 code units. */
  offset: number
  /** In UTF-16 code units. */
  length: number
}

export type NewEntity = {
  type: 'quote' | 'spoiler' | 'link' | 'bold' | 'italic' | 'strike' | 'code' | 'pre'
  /** In UTF-16 code units. */
  offset: number
  /** In UTF-16 code units. */
  length: number
  /** For a `link`, which needs it: an http or https address without a user name. */
  url?: string | undefined
  /** For a `pre`: the language of the code. */
  lang?: string | undefined
}

export type NewButton = {
  /** One line with a visible character, without control characters and characters that change the direction of writing. */
  text: string
  /** Sent back when the button is pressed; at most 64 bytes of UTF-8. */
  data?: string | undefined
  /** The app shows it and asks before it is opened; https only, the scheme in upper or lower case. */
  url?: string | undefined
}

export type NewCommand = {
  name: string
  description?: string | undefined
  args?: string | undefined
}

export type ForwardedFrom = {
  /** A chat of the bot. */
  chat_id: string
  /** A text or a file in that chat. */
  message_id: string
}

/** By the name of an operation: its parameters (of path, query and body) and its answer. */
export type Operations = {
  /** The bot: its name, its invite link, its commands, and how many new people it may still write to today. */
  getMe: {
    params: Record<never, never>
    answer: Me
  }
  /** Changes the bot's name or description; absent fields stay unchanged. */
  changeMe: {
    params: {
      /** One line with a visible character, without control characters and characters that change the direction of writing. */
      name?: string | undefined
      about?: string | undefined
    }
    answer: Me
  }
  /** Creates a new invite link; older links stop working. A person with an older link still knows the account id, and can read the profile with the key in the link. */
  newInvite: {
    params: Record<never, never>
    answer: Me
  }
  /** Replaces the bot's commands; [] removes all. */
  setCommands: {
    params: {
      commands: NewCommand[]
    }
    answer: Record<string, never>
  }
  /** Sets the bot's picture: the bytes of a JPEG, PNG or WebP file. It is cropped to a square and scaled down. */
  setAvatar: {
    params: {
      type: 'image/jpeg' | 'image/png' | 'image/webp'
      file: FileSource
    }
    answer: Record<string, never>
  }
  /** Creates an invite link with a payload, like `?start=` at Telegram. A person who presses *Start* at it sends `/start`, and the bot receives the message with the text `/start <payload>` and the field `invite`. A link that was revoked, has expired or is used up opens the chat all the same, and the text is `/start`. There are at most 10000 links; those that have expired do not count. */
  createInvite: {
    params: {
      /** The bot reads it in the text: `/start <payload>`. */
      payload: string
      /** How many people may come by the link; each counts once. If absent: any number. */
      uses?: number | undefined
      /** When the link ends, by the clock of the gateway at the time when it receives the message. If absent: never. */
      expires?: number | undefined
    }
    answer: Invite
  }
  /** The links with a payload that were neither revoked nor have expired, oldest first: all, or page by page. */
  listInvites: {
    params: {
      /** All when absent. */
      limit?: number | undefined
      /** The next page: the links after this one, the last of the previous page. */
      after?: string | undefined
    }
    answer: Invite[]
  }
  /** Revokes a link with a payload. People who came by it before stay as they are. */
  revokeInvite: {
    params: {
      /** The id of the invite. */
      id: string
    }
    answer: Record<string, never>
  }
  /** The bot's chats, in the order in which it first saw them: all, or page by page. */
  listChats: {
    params: {
      /** All when absent. */
      limit?: number | undefined
      /** The next page: the chats after this one, the last of the previous page. */
      after?: string | undefined
    }
    answer: Chat[]
  }
  /** One chat. */
  getChat: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
    }
    answer: Chat
  }
  /** Accepts a chat request or a group invitation. Updates that arrived meanwhile are queued, in order. If the chat is already accepted, it is returned unchanged. Accepting a person also accepts the groups to which that person has invited the bot, now and later. */
  acceptChat: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
    }
    answer: Chat
  }
  /** Removes a chat request or a group invitation, with everything that came with it. The person is not notified and may ask again; a group is left. A chat that is no request is 400 and stays as it is. */
  declineChat: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
    }
    answer: Record<string, never>
  }
  /** The people in the chat see for 8 seconds that the bot is typing, or until its next message. Repeat it while the work takes longer: it is sent at most once in 4 seconds. It is encrypted like a message and stored nowhere; who is not connected does not see it, nor does a person who has not accepted the chat. */
  sendTyping: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
    }
    answer: Record<string, never>
  }
  /** Shows the people in the chat a text that the bot is still making, such as the answer of a language model, for 30 seconds or until the bot’s next message. Send the text so far with each call, and at the end the message itself. A draft is encrypted, and nobody stores it: a person who is not connected sees the message alone, and so does an older app. It is sent at most twice a second, and less often to more than 40 people; a call that comes earlier answers {} and does nothing. */
  sendDraft: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      text: string
      /** `markdown`: marks in the text become entities, and a mark that is not closed stays a sign. No text is rejected. */
      format?: 'markdown' | undefined
    }
    answer: Record<string, never>
  }
  /** Creates a group with the bot as its admin. */
  createGroup: {
    params: {
      /** One line with a visible character, without control characters and characters that change the direction of writing. */
      name: string
      members: string[]
    }
    answer: Chat
  }
  /** The profile of a person who shares a chat with the bot, or has written to it: as the person has signed it, and as far as it has arrived. It is kept here, so the answer does not need the relay. Other accounts are 404. */
  getPerson: {
    params: {
      /** The id of a person’s account. */
      account: string
    }
    answer: PersonProfile
  }
  /** A number that the bot and a person compare over another channel, to make sure that nobody intercepts the chat. */
  getSafetyNumber: {
    params: {
      /** The id of a person’s account. */
      account: string
    }
    answer: SafetyNumber
  }
  /** Notes that the safety number of a person was compared, or takes that back. With `number`, the gateway compares: if it is not the number of this person, the answer is 400, and nothing is noted. */
  compareSafetyNumber: {
    params: {
      /** The id of a person’s account. */
      account: string
      verified: boolean
      /** What the person sees: the digits, with any spaces between them, or the content of the QR code. Only with `verified: true`. If absent, you have compared it. */
      number?: string | undefined
    }
    answer: SafetyNumber
  }
  /** The people whom the bot has blocked. */
  listBlocked: {
    params: Record<never, never>
    answer: Person[]
  }
  /** From then on the bot receives nothing from this person, except in groups that both share with others, and cannot write to them. The person cannot tell it from silence. Requests of this person, and invitations to groups by them, are declined. Earlier messages and updates stay. */
  blockPerson: {
    params: {
      /** The id of a person’s account. */
      account: string
    }
    answer: Record<string, never>
  }
  /** The bot receives the messages of this person again. Messages that were sent meanwhile are lost. */
  unblockPerson: {
    params: {
      /** The id of a person’s account. */
      account: string
    }
    answer: Record<string, never>
  }
  /** Changes the title of a group, or the timer of any chat; absent fields stay unchanged. Every member may do this. */
  changeChat: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      /** The title; groups only. */
      name?: string | undefined
      /** How long messages are kept after they were read; 0: no limit. */
      timer_ms?: number | undefined
    }
    answer: Chat
  }
  /** Adds people to a group. Those who are members already stay as they are. Every member may do this. New people count towards the limit of the relay. */
  addMembers: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      add: string[]
    }
    answer: Chat
  }
  /** Removes a person from a group. Only an admin may do this. The bot itself leaves with POST …/leave. */
  removeMember: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      /** The id of a person’s account. */
      account: string
    }
    answer: Chat
  }
  /** Makes a member of a group an admin, or takes it back. Only an admin may do this, and one admin always stays. */
  setAdmin: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      /** The id of a person’s account. */
      account: string
      admin: boolean
    }
    answer: Chat
  }
  /** Sets the picture of a group: the bytes of a JPEG, PNG or WebP file. It is cropped to a square and scaled down. Every member may do this. */
  setChatPicture: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      type: 'image/jpeg' | 'image/png' | 'image/webp'
      file: FileSource
    }
    answer: Chat
  }
  /** Removes the picture of a group. Every member may do this. */
  removeChatPicture: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
    }
    answer: Chat
  }
  /** Leaves a group: the bot receives nothing from it any more. Appoint another admin first: a group whose last admin leaves has none. */
  leaveChat: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
    }
    answer: Record<string, never>
  }
  /** Creates a link by which people ask for a place in a group. Only an admin may do this, and the link counts while the bot is one. Nobody is added before you say so. There are at most 10 links to a group. */
  createGroupLink: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
    }
    answer: GroupLink
  }
  /** The bot's links to a group, oldest first; none if the bot is no admin. */
  listGroupLinks: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
    }
    answer: GroupLink[]
  }
  /** Revokes a link to a group. The requests of people who came by it are gone with it. */
  revokeGroupLink: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      /** The token of a link. */
      token: string
    }
    answer: Record<string, never>
  }
  /** The people who wait for a place in a group by the bot's links, oldest first; at most 50. */
  listJoinRequests: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
    }
    answer: WaitingRequest[]
  }
  /** Adds a person who waits for a place in a group, or declines. A person who is declined learns it, and cannot ask by the same link again. A person who does not wait is 404, also after the answer. */
  answerJoinRequest: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      /** The id of a person’s account. */
      account: string
      add: boolean
    }
    answer: Chat
  }
  /** Asks for a place in a group, by a link to it. The admin who made the link learns the account and the name of the bot, and decides. Asking again by the same link sends nothing. */
  askToJoin: {
    params: {
      /** A link to a group. */
      link: string
    }
    answer: AskedJoin
  }
  /** The requests of the bot that wait or were declined, oldest first. A granted one is gone: the group is there. */
  listAskedJoins: {
    params: Record<never, never>
    answer: AskedJoin[]
  }
  /** Forgets a request of the bot here; the admin is not notified. If the admin adds the bot all the same, the group waits as a request. */
  forgetAskedJoin: {
    params: {
      /** The id of a person’s account. */
      account: string
      /** The token of a link. */
      token: string
    }
    answer: Record<string, never>
  }
  /** The newest messages of a chat, the newest before a time, the first after one, or those around a message; oldest first. */
  listMessages: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      /** The newest messages before that time. */
      before?: number | undefined
      /** The first messages after that time. */
      after?: number | undefined
      /** The id of a message: about half of the page is older. */
      around?: string | undefined
      /** How many at most. */
      limit?: number | undefined
    }
    answer: Message[]
  }
  /** Sends a text. The answer means that the relay has stored it durably. The account id of a person whom the bot has never met opens a chat. */
  sendMessage: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      text: string
      reply_to?: string | undefined
      /** On whole characters, in the order of the text, and without overlap; the named person need not be a member. */
      mentions?: NewMention[] | undefined
      /** The message arrives, but nobody is notified; by default false. */
      silent?: boolean | undefined
      /** `markdown`: marks in the text become entities, and a mark that is not closed stays a sign. No text is rejected. */
      format?: 'markdown' | undefined
      /** On whole characters, in any order, each inside of another or apart from it. Not together with `format`. */
      entities?: NewEntity[] | undefined
      /** Rows of buttons, each with either `data` or `url`. */
      buttons?: NewButton[][] | undefined
    }
    answer: Message
  }
  /** Sends a file; its bytes are encrypted and streamed to the relay. Less than 64 KB in a minute is too slow, and answered with 400. The gateway creates the preview of a photo. */
  sendFile: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      file: FileSource
      /** The name of the file. */
      name?: string | undefined
      /** The text under the file. */
      caption?: string | undefined
      reply_to?: string | undefined
      /** By default detected from the bytes of the file. A photo is a JPEG, PNG or WebP file. */
      kind?: 'photo' | 'video' | 'voice' | 'file' | undefined
      /** For video and voice. */
      duration_ms?: number | undefined
      /** In pixels; for video and voice. */
      width?: number | undefined
      /** In pixels; for video and voice. */
      height?: number | undefined
      /** The message arrives, but nobody is notified; by default false. */
      silent?: boolean | undefined
      /** `markdown`: marks in the caption become entities, and a mark that is not closed stays a sign. */
      format?: 'markdown' | undefined
      /** For the caption: a JSON array, as for a text. */
      entities?: NewEntity[] | undefined
      /** In the caption: a JSON array, as for a text. */
      mentions?: NewMention[] | undefined
      /** Rows of buttons: a JSON array, as for a text. */
      buttons?: NewButton[][] | undefined
    }
    answer: Message
  }
  /** Sends files as one album, in the order of the form: each is a message, and all of them have the same `album`. People see photos and videos of an album in one bubble. The first file has the caption and the reply. Nothing is sent before the whole form was read and checked. One `Idempotency-Key` is for the whole album: a repetition under it continues after the last file that was sent, and answers all messages. Without a key, an album whose relay is lost in the middle stays incomplete. */
  sendAlbum: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      /** 1 to 10, in their order. */
      files: NamedFile[]
      /** The text under the album: the caption of its first file. */
      caption?: string | undefined
      reply_to?: string | undefined
      /** Of all files; by default detected from the bytes of each. */
      kind?: 'photo' | 'video' | 'file' | undefined
      /** The message arrives, but nobody is notified; by default false. */
      silent?: boolean | undefined
      /** `markdown`: marks in the caption become entities, and a mark that is not closed stays a sign. */
      format?: 'markdown' | undefined
      /** For the caption: a JSON array, as for a text. */
      entities?: NewEntity[] | undefined
      /** In the caption: a JSON array, as for a text. */
      mentions?: NewMention[] | undefined
    }
    answer: Message[]
  }
  /** Sends a text or a file of another chat, or of the same one, into this chat: marked as forwarded, or with `copy` as a message of the bot’s own. Text and formatting are kept; mentions, buttons, replies and reactions are not. The gateway sends the bytes of a file again, encrypted under a new key: the new message does not depend on the old one, and its file is kept as long as any other. A poll cannot be forwarded. */
  forwardMessage: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      from: ForwardedFrom
      /** Sends the message as one of the bot’s own, without the mark `forwarded`; by default false. */
      copy?: boolean | undefined
      /** For a copy of a file: replaces its caption, and an empty one removes it. */
      caption?: string | undefined
      /** In the new caption, as for a text. */
      mentions?: NewMention[] | undefined
      /** `markdown`: marks in the text become entities, and a mark that is not closed stays a sign. No text is rejected. */
      format?: 'markdown' | undefined
      /** On whole characters, in any order, each inside of another or apart from it. Not together with `format`. */
      entities?: NewEntity[] | undefined
      reply_to?: string | undefined
      /** The message arrives, but nobody is notified; by default false. */
      silent?: boolean | undefined
      /** Rows of buttons, each with either `data` or `url`. */
      buttons?: NewButton[][] | undefined
    }
    answer: Message
  }
  /** One message. */
  getMessage: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      /** The id of a message in that chat. */
      msg: string
    }
    answer: Message
  }
  /** A message's file: its bytes with their Content-Type, fetched from the relay and decrypted at the first request. */
  getFile: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      /** The id of a message in that chat. */
      msg: string
    }
    answer: Download
  }
  /** Edits the bot's own text or caption within 48 hours, and at any time while it has buttons; what is absent stays, and [] removes the buttons. */
  editMessage: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      /** The id of a message in that chat. */
      msg: string
      /** Only a caption may be empty. */
      text?: string | undefined
      /** Without a text, they apply to the current text, and [] removes them. A new text without mentions has none. */
      mentions?: NewMention[] | undefined
      /** `markdown`: marks in the text become entities, and a mark that is not closed stays a sign. No text is rejected. */
      format?: 'markdown' | undefined
      /** Without a text, they apply to the current text, and [] removes them. A new text without entities has none. */
      entities?: NewEntity[] | undefined
      /** Rows of buttons, each with either `data` or `url`. */
      buttons?: NewButton[][] | undefined
    }
    answer: Message
  }
  /** Deletes a message: for everyone, if it is the bot's own, or only in the bot's database. */
  deleteMessage: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      /** The id of a message in that chat. */
      msg: string
      /** For everyone, or only in the bot’s database. */
      for?: 'all' | 'me' | undefined
    }
    answer: Record<string, never>
  }
  /** Sets the bot's reaction, one emoji, in place of the one it had. */
  setReaction: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      /** The id of a message in that chat. */
      msg: string
      /** One emoji. */
      emoji: string
    }
    answer: Record<string, never>
  }
  /** Removes the bot's reaction. */
  removeReaction: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      /** The id of a message in that chat. */
      msg: string
    }
    answer: Record<string, never>
  }
  /** Marks messages as read, up to one or all. The countdown of disappearing messages starts. */
  markRead: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      /** If absent: all messages. */
      up_to?: string | undefined
    }
    answer: Record<string, never>
  }
  /** Sends a poll. */
  sendPoll: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      question: string
      options: string[]
      /** Whether people may vote for several options; by default false. */
      multiple?: boolean | undefined
      /** When it closes automatically; 0 or absent: never. */
      close_ts?: number | undefined
      reply_to?: string | undefined
      /** The message arrives, but nobody is notified; by default false. */
      silent?: boolean | undefined
      /** In the question: on whole characters, in the order of the text, and without overlap. */
      mentions?: NewMention[] | undefined
      /** Rows of buttons, each with either `data` or `url`. */
      buttons?: NewButton[][] | undefined
    }
    answer: Message
  }
  /** Sets the bot's vote in an open poll, replacing its earlier one; [] retracts it. */
  vote: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      /** The id of a message in that chat. */
      msg: string
      /** Indexes of options, from 0. */
      options: number[]
    }
    answer: Record<string, never>
  }
  /** Closes the bot's own poll: nobody can vote any more. */
  closePoll: {
    params: {
      /** The id of a chat; for a private chat, the other person’s account id. */
      chat: string
      /** The id of a message in that chat. */
      msg: string
    }
    answer: Record<string, never>
  }
  /** Answers the press of a button, once and within a minute, with a text that only the person who pressed sees. */
  answerPress: {
    params: {
      /** The id of a press, from its `button` update. */
      press_id: string
      text: string
    }
    answer: Record<string, never>
  }
  /** Returns updates, oldest first; waits up to `timeout` seconds if there are none yet. `offset` confirms every update below it. Unconfirmed updates are kept for 24 hours, at most 10000 of them; the oldest are dropped. With `reader`, a named reader polls: it has a place of its own, works with a webhook and with UPDATES=off, and is created at its first use. There can be 8 of them. HEAD neither confirms nor waits. */
  getUpdates: {
    params: {
      /** The id of the last update that was handled, plus 1. */
      offset?: number | undefined
      /** In seconds. */
      timeout?: number | undefined
      /** How many at most. */
      limit?: number | undefined
      /** A named reader. If absent: the queue without a name. */
      reader?: string | undefined
      /** Only updates of these types, separated by commas; the others count as confirmed. If absent: all except delivered and read, which only a named reader receives, from its first request with them on. */
      types?: string | undefined
      /** Where a new reader begins: with the next update, or with the oldest one that is kept for any reader. An existing reader keeps its place. */
      from?: 'now' | 'oldest' | undefined
    }
    answer: Update[]
  }
  /** Server-sent events: the updates of a named reader, as they come. The stream begins with everything that the reader has not confirmed; `Last-Event-ID` resumes it after that update. The `id` of an event is that of its update, and its `data` is the Update. The event `dropped` reports updates that were lost before this consumer received them. Streaming confirms nothing: confirm with POST /v1/readers/{reader}. Every stream of a reader receives every update. There is a comment every 15 seconds at least; a consumer that accepts nothing for 60 seconds is cut off. At most 1000 streams and polls of named readers wait at a time. */
  streamUpdates: {
    params: {
      /** A named reader. */
      reader: string
      /** Only updates of these types, separated by commas; the others count as confirmed. If absent: all except delivered and read, which only a named reader receives, from its first request with them on. */
      types?: string | undefined
      /** Where a new reader begins: with the next update, or with the oldest one that is kept for any reader. An existing reader keeps its place. */
      from?: 'now' | 'oldest' | undefined
    }
    answer: Download
  }
  /** The named readers, with their places and what waits for them. */
  listReaders: {
    params: Record<never, never>
    answer: Reader[]
  }
  /** Confirms every update below `offset` for one reader. Its place never moves back. An offset above the newest update counts as the newest plus 1. */
  confirmUpdates: {
    params: {
      /** The name of a reader. */
      reader: string
      /** The id of the last update that was handled, plus 1. */
      offset: number
    }
    answer: Reader
  }
  /** Deletes a named reader: its streams end, and nothing is kept for it any more. The next use of its name creates a new one. */
  deleteReader: {
    params: {
      /** The name of a reader. */
      reader: string
    }
    answer: Record<string, never>
  }
  /** The status of webhook delivery. */
  getWebhook: {
    params: Record<never, never>
    answer: WebhookStatus
  }
  /** Delivers updates to this address from now on, instead of keeping them for polls; waiting polls end. It replaces a webhook that was set before, is kept encrypted in the database, and survives restarts and restores. A paused webhook stays paused. If WEBHOOK_URL is set, the answer is 409: the settings take precedence. */
  setWebhook: {
    params: {
      /** An http or https address. Redirects are not followed. */
      url: string
      /** Signs each update, as WEBHOOK_SECRET does. */
      secret: string
      /** While you change the secret: `webhook-signature` has a second signature under this one. `X-Service-Signature` is always under `secret`. */
      previous_secret?: string | undefined
    }
    answer: WebhookStatus
  }
  /** Removes the webhook that was set over the API: updates that were not delivered are polled. Without one, nothing changes. If WEBHOOK_URL is set, the answer is 409. */
  removeWebhook: {
    params: Record<never, never>
    answer: WebhookStatus
  }
  /** Delivers nothing until the webhook is resumed, also after a restart. Updates wait as long as undelivered ones. An update in flight is sent again later, under its id. Also for WEBHOOK_URL. */
  pauseWebhook: {
    params: Record<never, never>
    answer: WebhookStatus
  }
  /** Delivers again, beginning with the oldest update that waits. */
  resumeWebhook: {
    params: Record<never, never>
    answer: WebhookStatus
  }
  /** Tries a failed delivery again immediately, instead of at `next_attempt_ts`. If that fails, too, the waits continue to grow. A paused webhook tries when it is resumed. */
  retryWebhook: {
    params: Record<never, never>
    answer: WebhookStatus
  }
  /** The hooks of all chats or of one, oldest first, each with the end of its last post. These endpoints exist if HOOKS_URL is set. */
  listHooks: {
    params: {
      /** Only the hooks of this chat. */
      chat?: string | undefined
    }
    answer: Hook[]
  }
  /** Creates a hook: an address whose posts the bot writes into the chat. There are at most 1000. */
  createHook: {
    params: {
      /** A chat that the bot is a member of. */
      chat_id: string
      format: 'alerts' | 'pipeline' | 'text' | 'slack' | 'grafana' | 'uptime_kuma' | 'github' | 'gitlab' | 'sentry' | 'auto' | 'template'
      /** The language of the words that the bot adds. By default LANGUAGE. */
      lang?: 'ru' | 'en' | undefined
      /** Its messages arrive, but nobody is notified. By default only good news is silent: a resolved alert, a fixed branch. */
      silent?: boolean | undefined
      /** The secret that you give to the sender: a post that does not prove it is 401. For github, gitlab, sentry, auto. It is never shown again. */
      secret?: string | undefined
      /** For the format `template` alone: the text of its messages, with {{paths}} into the posted JSON. It is parsed at once. */
      template?: string | undefined
      options?: HookOptions | undefined
    }
    answer: CreatedHook
  }
  /** Removes a hook; its address answers 404 from then on. */
  deleteHook: {
    params: {
      /** The id of the hook. */
      id: string
    }
    answer: Record<string, never>
  }
  /** Writes a post into the chat. A hook of format `text` accepts text/plain, in any charset, or application/json. 200: the relay has stored the message durably, or there was nothing to write. 502: it could not be sent in time; posting the same body again duplicates nothing. A hook of format `slack` answers as Slack does, in plain text. */
  postHook: {
    params: {
      /** The last part of the address of the hook. */
      secret: string
      /** 1: answers what would be written, sends nothing and remembers nothing. */
      dry_run?: '0' | '1' | undefined
      type: 'application/json' | 'text/plain'
      file: FileSource
    }
    answer: DryRun
  }
  /** Creates a token with fewer rights than BOT_TOKEN. The gateway keeps only a hash of it, in its database. There are at most 100. */
  createToken: {
    params: {
      /** Tells people what the token is for. */
      name: string
      /** `read`: chats, messages, files and updates, confirming them included. `send`: messages, reactions, votes, receipts and answers to presses. `hooks`: hooks. `admin`: everything, these endpoints included. */
      scopes: ('read' | 'send' | 'hooks' | 'admin')[]
      /** Limits the token to these chats of the bot. If absent: all chats, later ones included. */
      chats?: string[] | undefined
    }
    answer: CreatedToken
  }
  /** The tokens that were not revoked, oldest first, each with its last use. BOT_TOKEN is not among them. */
  listTokens: {
    params: Record<never, never>
    answer: ApiToken[]
  }
  /** Revokes a token immediately: the connections of its requests that are under way, long polls and streams included, are closed. A token that revokes itself receives no answer. Its named readers are deleted if it was limited to chats. Hooks that were created with it stay. */
  revokeToken: {
    params: {
      /** The id of the token. */
      id: string
    }
    answer: Record<string, never>
  }
  /** Whether the gateway runs. For a liveness probe: it answers 200 without a relay, too. */
  health: {
    params: Record<never, never>
    answer: Record<string, never>
  }
  /** Whether the bot is online at its relay. Otherwise the answer is 503, and its sentence says why. For a readiness probe. */
  ready: {
    params: Record<never, never>
    answer: Record<string, never>
  }
  /** The gateway's metrics in the text format of Prometheus. `METRICS_TOKEN`, if set, is valid only for this endpoint. */
  getMetrics: {
    params: Record<never, never>
    answer: string
  }
  /** This API as an OpenAPI document: 3.1, or 3.0 for tools that support no other version. */
  getOpenapi: {
    params: {
      /** The version of OpenAPI. */
      version?: '3.0' | '3.1' | undefined
    }
    answer: OpenapiDocument
  }
}

export const operations = {
  getMe: { method: 'GET', path: '/v1/me', query: [], request: 'none', answer: 'json', keyed: false },
  changeMe: { method: 'PATCH', path: '/v1/me', query: [], request: 'json', answer: 'json', keyed: false },
  newInvite: { method: 'POST', path: '/v1/me/invite', query: [], request: 'none', answer: 'json', keyed: false },
  setCommands: { method: 'PUT', path: '/v1/me/commands', query: [], request: 'json', answer: 'json', keyed: false },
  setAvatar: { method: 'PUT', path: '/v1/me/avatar', query: [], request: 'bytes', answer: 'json', keyed: false },
  createInvite: { method: 'POST', path: '/v1/invites', query: [], request: 'json', answer: 'json', keyed: true },
  listInvites: { method: 'GET', path: '/v1/invites', query: ['limit', 'after'], request: 'none', answer: 'json', keyed: false },
  revokeInvite: { method: 'DELETE', path: '/v1/invites/{id}', query: [], request: 'none', answer: 'json', keyed: false },
  listChats: { method: 'GET', path: '/v1/chats', query: ['limit', 'after'], request: 'none', answer: 'json', keyed: false },
  getChat: { method: 'GET', path: '/v1/chats/{chat}', query: [], request: 'none', answer: 'json', keyed: false },
  acceptChat: { method: 'POST', path: '/v1/chats/{chat}/accept', query: [], request: 'none', answer: 'json', keyed: false },
  declineChat: { method: 'POST', path: '/v1/chats/{chat}/decline', query: [], request: 'none', answer: 'json', keyed: false },
  sendTyping: { method: 'POST', path: '/v1/chats/{chat}/typing', query: [], request: 'none', answer: 'json', keyed: false },
  sendDraft: { method: 'POST', path: '/v1/chats/{chat}/draft', query: [], request: 'json', answer: 'json', keyed: false },
  createGroup: { method: 'POST', path: '/v1/groups', query: [], request: 'json', answer: 'json', keyed: true },
  getPerson: { method: 'GET', path: '/v1/people/{account}', query: [], request: 'none', answer: 'json', keyed: false },
  getSafetyNumber: { method: 'GET', path: '/v1/people/{account}/safety-number', query: [], request: 'none', answer: 'json', keyed: false },
  compareSafetyNumber: { method: 'PUT', path: '/v1/people/{account}/safety-number', query: [], request: 'json', answer: 'json', keyed: false },
  listBlocked: { method: 'GET', path: '/v1/blocked', query: [], request: 'none', answer: 'json', keyed: false },
  blockPerson: { method: 'PUT', path: '/v1/people/{account}/block', query: [], request: 'none', answer: 'json', keyed: false },
  unblockPerson: { method: 'DELETE', path: '/v1/people/{account}/block', query: [], request: 'none', answer: 'json', keyed: false },
  changeChat: { method: 'PATCH', path: '/v1/chats/{chat}', query: [], request: 'json', answer: 'json', keyed: true },
  addMembers: { method: 'POST', path: '/v1/chats/{chat}/members', query: [], request: 'json', answer: 'json', keyed: true },
  removeMember: { method: 'DELETE', path: '/v1/chats/{chat}/members/{account}', query: [], request: 'none', answer: 'json', keyed: true },
  setAdmin: { method: 'PUT', path: '/v1/chats/{chat}/members/{account}/admin', query: [], request: 'json', answer: 'json', keyed: true },
  setChatPicture: { method: 'PUT', path: '/v1/chats/{chat}/picture', query: [], request: 'bytes', answer: 'json', keyed: false },
  removeChatPicture: { method: 'DELETE', path: '/v1/chats/{chat}/picture', query: [], request: 'none', answer: 'json', keyed: false },
  leaveChat: { method: 'POST', path: '/v1/chats/{chat}/leave', query: [], request: 'none', answer: 'json', keyed: true },
  createGroupLink: { method: 'POST', path: '/v1/chats/{chat}/links', query: [], request: 'none', answer: 'json', keyed: false },
  listGroupLinks: { method: 'GET', path: '/v1/chats/{chat}/links', query: [], request: 'none', answer: 'json', keyed: false },
  revokeGroupLink: { method: 'DELETE', path: '/v1/chats/{chat}/links/{token}', query: [], request: 'none', answer: 'json', keyed: false },
  listJoinRequests: { method: 'GET', path: '/v1/chats/{chat}/join-requests', query: [], request: 'none', answer: 'json', keyed: false },
  answerJoinRequest: { method: 'POST', path: '/v1/chats/{chat}/join-requests/{account}', query: [], request: 'json', answer: 'json', keyed: false },
  askToJoin: { method: 'POST', path: '/v1/join-requests', query: [], request: 'json', answer: 'json', keyed: false },
  listAskedJoins: { method: 'GET', path: '/v1/join-requests', query: [], request: 'none', answer: 'json', keyed: false },
  forgetAskedJoin: { method: 'DELETE', path: '/v1/join-requests/{account}/{token}', query: [], request: 'none', answer: 'json', keyed: false },
  listMessages: { method: 'GET', path: '/v1/chats/{chat}/messages', query: ['before', 'after', 'around', 'limit'], request: 'none', answer: 'json', keyed: false },
  sendMessage: { method: 'POST', path: '/v1/chats/{chat}/messages', query: [], request: 'json', answer: 'json', keyed: true },
  sendFile: { method: 'POST', path: '/v1/chats/{chat}/files', query: [], request: 'form', answer: 'json', keyed: true },
  sendAlbum: { method: 'POST', path: '/v1/chats/{chat}/albums', query: [], request: 'form', answer: 'json', keyed: true },
  forwardMessage: { method: 'POST', path: '/v1/chats/{chat}/forward', query: [], request: 'json', answer: 'json', keyed: true },
  getMessage: { method: 'GET', path: '/v1/chats/{chat}/messages/{msg}', query: [], request: 'none', answer: 'json', keyed: false },
  getFile: { method: 'GET', path: '/v1/chats/{chat}/messages/{msg}/file', query: [], request: 'none', answer: 'stream', keyed: false },
  editMessage: { method: 'PATCH', path: '/v1/chats/{chat}/messages/{msg}', query: [], request: 'json', answer: 'json', keyed: false },
  deleteMessage: { method: 'DELETE', path: '/v1/chats/{chat}/messages/{msg}', query: ['for'], request: 'none', answer: 'json', keyed: false },
  setReaction: { method: 'PUT', path: '/v1/chats/{chat}/messages/{msg}/reaction', query: [], request: 'json', answer: 'json', keyed: false },
  removeReaction: { method: 'DELETE', path: '/v1/chats/{chat}/messages/{msg}/reaction', query: [], request: 'none', answer: 'json', keyed: false },
  markRead: { method: 'POST', path: '/v1/chats/{chat}/read', query: [], request: 'json', answer: 'json', keyed: false },
  sendPoll: { method: 'POST', path: '/v1/chats/{chat}/polls', query: [], request: 'json', answer: 'json', keyed: true },
  vote: { method: 'POST', path: '/v1/chats/{chat}/messages/{msg}/vote', query: [], request: 'json', answer: 'json', keyed: true },
  closePoll: { method: 'POST', path: '/v1/chats/{chat}/messages/{msg}/close', query: [], request: 'none', answer: 'json', keyed: true },
  answerPress: { method: 'POST', path: '/v1/presses/{press_id}/answer', query: [], request: 'json', answer: 'json', keyed: true },
  getUpdates: { method: 'GET', path: '/v1/updates', query: ['offset', 'timeout', 'limit', 'reader', 'types', 'from'], request: 'none', answer: 'json', keyed: false },
  streamUpdates: { method: 'GET', path: '/v1/updates/stream', query: ['reader', 'types', 'from'], request: 'none', answer: 'stream', keyed: false },
  listReaders: { method: 'GET', path: '/v1/readers', query: [], request: 'none', answer: 'json', keyed: false },
  confirmUpdates: { method: 'POST', path: '/v1/readers/{reader}', query: [], request: 'json', answer: 'json', keyed: false },
  deleteReader: { method: 'DELETE', path: '/v1/readers/{reader}', query: [], request: 'none', answer: 'json', keyed: false },
  getWebhook: { method: 'GET', path: '/v1/webhook', query: [], request: 'none', answer: 'json', keyed: false },
  setWebhook: { method: 'PUT', path: '/v1/webhook', query: [], request: 'json', answer: 'json', keyed: false },
  removeWebhook: { method: 'DELETE', path: '/v1/webhook', query: [], request: 'none', answer: 'json', keyed: false },
  pauseWebhook: { method: 'POST', path: '/v1/webhook/pause', query: [], request: 'none', answer: 'json', keyed: false },
  resumeWebhook: { method: 'POST', path: '/v1/webhook/resume', query: [], request: 'none', answer: 'json', keyed: false },
  retryWebhook: { method: 'POST', path: '/v1/webhook/retry', query: [], request: 'none', answer: 'json', keyed: false },
  listHooks: { method: 'GET', path: '/v1/hooks', query: ['chat'], request: 'none', answer: 'json', keyed: false },
  createHook: { method: 'POST', path: '/v1/hooks', query: [], request: 'json', answer: 'json', keyed: false },
  deleteHook: { method: 'DELETE', path: '/v1/hooks/{id}', query: [], request: 'none', answer: 'json', keyed: false },
  postHook: { method: 'POST', path: '/hooks/{secret}', query: ['dry_run'], request: 'bytes', answer: 'json', keyed: true },
  createToken: { method: 'POST', path: '/v1/tokens', query: [], request: 'json', answer: 'json', keyed: false },
  listTokens: { method: 'GET', path: '/v1/tokens', query: [], request: 'none', answer: 'json', keyed: false },
  revokeToken: { method: 'DELETE', path: '/v1/tokens/{id}', query: [], request: 'none', answer: 'json', keyed: false },
  health: { method: 'GET', path: '/healthz', query: [], request: 'none', answer: 'json', keyed: false },
  ready: { method: 'GET', path: '/readyz', query: [], request: 'none', answer: 'json', keyed: false },
  getMetrics: { method: 'GET', path: '/v1/metrics', query: [], request: 'none', answer: 'text', keyed: false },
  getOpenapi: { method: 'GET', path: '/openapi.json', query: ['version'], request: 'none', answer: 'json', keyed: false },
} as const
