// The views of a page: how each is read, and which changes require reading it again.
import { appLimits } from '@postern/protocol'
import type { ViewArgs, ViewName, Views, ViewValue } from '../../contract/views.ts'
import type { AccountLifecycle } from '../account/account-lifecycle.ts'
import type { Account } from '../account/open-account.ts'
import type { AppSettings } from '../settings.ts'
import { accountId, chatId } from '../shapes.ts'
import type { WorkerTopic } from '../topics.ts'
import { readChat, readChats, readUnread } from './read-chats.ts'
import { HistoryReader } from './read-history.ts'
import { readMedia } from './read-media.ts'
import { readAsked, readContacts, readMe, readPerson } from './read-people.ts'

export type ViewPlace = { home: AccountLifecycle; settings: AppSettings }

type Reader<From, Name extends ViewName> = { read(from: From, ...args: ViewArgs<Name>): ViewValue<Name> }
/** `begin` is for a view that has to remember what it showed: a reader for each watcher. */
type Entry<From, Name extends ViewName> = {
  topics(...args: ViewArgs<Name>): readonly WorkerTopic[]
  /** It is not read again within this time, however much changes. */
  restMs?: number
} & (Reader<From, Name> | { begin(): Reader<From, Name> })
type Table<From, Names extends ViewName> = { [Name in Names]: Entry<From, Name> }

type EarlyName = 'stage' | 'connection' | 'settings'

/** Those that exist without an account, once it is known whether there is one: until then a page would flash. */
const early: Table<ViewPlace, EarlyName> = {
  stage: { topics: () => ['stage'], read: ({ home }) => home.stage },
  connection: {
    topics: () => ['connection', 'stage'],
    read: ({ home }) => (home.account?.client.isOnline ? 'online' : 'connecting'),
  },
  settings: { topics: () => ['settings', 'stage'], read: ({ settings }) => settings.get() },
}

const ofAccount: Table<Account, Exclude<ViewName, EarlyName>> = {
  me: { topics: () => ['me', 'people'], read: readMe },
  chats: {
    topics: () => ['chats', 'people', 'marks', 'drafts', 'outgoing'],
    restMs: appLimits.chatsRestMs,
    read: readChats,
  },
  // A message touches chats, and no picture.
  faces: { topics: () => ['people', 'faces'], read: ({ faces }) => faces.all() },
  unread: { topics: () => ['chats', 'marks'], read: readUnread },
  chat: {
    topics: chat => [`chat:${chatId(chat, 'chat')}`, 'people', 'marks', 'drafts'],
    read: (account, chat) => readChat(account, chatId(chat, 'chat')),
  },
  groupLinks: {
    topics: chat => [`chat:${chatId(chat, 'chat')}`],
    read: ({ client }, chat) => client.groupLinks.list(chatId(chat, 'chat')).map(({ token, url }) => ({ token, url })),
  },
  asked: { topics: () => ['chats', 'people'], read: readAsked },
  history: {
    topics: chat => [`chat:${chatId(chat, 'chat')}`, `draft:${chatId(chat, 'chat')}`, 'drafts'],
    begin: () => new HistoryReader(),
  },
  media: { topics: chat => [`chat:${chatId(chat, 'chat')}`], read: readMedia },
  // Its rows go when their messages come.
  outgoing: {
    topics: chat => ['outgoing', `chat:${chatId(chat, 'chat')}`],
    read: ({ outgoing }, chat) => outgoing.in(chat),
  },
  presses: { topics: () => ['presses'], read: ({ presses }, chat) => presses.in(chat) },
  typing: { topics: () => ['typing', 'settings', 'people'], read: ({ typing }) => typing.names() },
  person: {
    topics: () => ['people', 'chats'],
    read: (account, id) => readPerson(account, accountId(id, 'account')),
  },
  contacts: { topics: () => ['people', 'chats'], read: readContacts },
  blocked: { topics: () => ['people'], read: ({ client }) => client.identity.blocked() },
  keeping: { topics: () => ['keeping', 'chats'], read: ({ keeping }) => keeping.get() },
  push: { topics: () => ['push'], read: ({ pushState }) => pushState },
  lock: { topics: () => ['keeping'], read: ({ lock }) => ({ isSet: lock.isSet }) },
}

/** A view with its arguments, as the worker reads it. */
export type ViewReading = {
  topics: readonly WorkerTopic[]
  restMs: number
  /** Undefined as long as there is nothing to read. */
  look(place: ViewPlace): { value: unknown } | undefined
}

export const isViewName = (name: string): name is ViewName =>
  Object.hasOwn(early, name) || Object.hasOwn(ofAccount, name)

/** Throws for invalid arguments of the view. */
export function lookingAt<Name extends ViewName>(name: Name, args: Views[Name]['args']): ViewReading {
  if (name in early) {
    const entry = (early as Partial<Record<ViewName, Entry<ViewPlace, Name>>>)[name]
    const isThere = ({ home }: ViewPlace) => name === 'connection' || home.stage.kind !== 'starting'
    if (entry) {
      const reader = readerOf(entry)
      return {
        topics: entry.topics(...args),
        restMs: 0,
        look: place => (isThere(place) ? { value: reader.read(place, ...args) } : undefined),
      }
    }
  }
  const entry = (ofAccount as Partial<Record<ViewName, Entry<Account, Name>>>)[name]
  if (!entry) throw new TypeError(`there is no view ${name}`)
  const reader = readerOf(entry)
  return {
    topics: [...entry.topics(...args), 'stage'],
    restMs: entry.restMs ?? 0,
    look: ({ home }) => (home.account ? { value: reader.read(home.account, ...args) } : undefined),
  }
}

const readerOf = <From, Name extends ViewName>(entry: Entry<From, Name>): Reader<From, Name> =>
  'begin' in entry ? entry.begin() : entry
