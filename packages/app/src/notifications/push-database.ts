// The database that the service worker can read: core's own needs a kind of file that no service worker can open.
// Without push notifications it is empty.
import type { ChatId, GroupId, MessageId } from '@postern/protocol'
import type { MessagePreview } from '@postern/protocol/preview'
import type { Settings } from '../contract/settings.ts'

export type NotifySettings = Pick<Settings, 'notify' | 'language' | 'sound' | 'vibrate'>
export type PushChat = { group: GroupId; chat: ChatId; title: string; muted: boolean }
/** For the words of notifications that were sealed in this epoch of the group. */
export type PreviewKey = { group: GroupId; epoch: number; key: Uint8Array }
/** Everything that the service worker may know about the account. */
export type PushTable = { settings: NotifySettings; chats: PushChat[]; keys: PreviewKey[] }
export type ShownPreview = { message: MessageId; chat: ChatId; preview: MessagePreview }

/** The part of the database that the core's worker uses. In tests Node provides it. */
export interface PushShelf {
  /** Replaces everything that was there. */
  write(table: PushTable): Promise<void>
  clear(): Promise<void>
  /** Previews that pushes have shown, and that were not compared with their messages yet. */
  previews(): Promise<ShownPreview[]>
  settlePreview(message: MessageId): Promise<void>
}

type Sealed = { nonce: Uint8Array<ArrayBuffer>; bytes: ArrayBuffer }
type StoredNotification = Omit<AnnouncedMessage, 'preview'> & { preview?: Sealed }
/** Unread messages, and those by chat that pushes have announced since. */
type UnreadCount = { count: number; pushed: Record<string, number> }

const NAME = 'postern-push'
const FACTS = 'facts'
const KEYS = 'keys'
/** A push is kept for a day; nobody has more notifications in that time. */
const SHOWN_MAX = 500
const NONCE_BYTES = 12
const AES = { name: 'AES-GCM', length: 256 } as const

const keyName = ({ group, epoch }: { group: string; epoch: number }): string => `${group}/${epoch}`

function resultOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('the database of notifications failed')))
  })
}

function completed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve())
    transaction.addEventListener('abort', () =>
      reject(transaction.error ?? new Error('the database of notifications was full')),
    )
  })
}

async function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, 1)
  request.addEventListener('upgradeneeded', () => {
    for (const store of [FACTS, KEYS]) request.result.createObjectStore(store)
  })
  return await resultOf(request)
}

type DatabaseWork<Result> = (stores: { facts: IDBObjectStore; keys: IDBObjectStore }) => Promise<Result>

/** Opened for each use: a page and a service worker end without notice, and an open database would block its removal. */
async function inDatabase<Result>(mode: 'readonly' | 'readwrite', work: DatabaseWork<Result>): Promise<Result> {
  const database = await open()
  try {
    const transaction = database.transaction([FACTS, KEYS], mode)
    const done = completed(transaction)
    const result = await work({ facts: transaction.objectStore(FACTS), keys: transaction.objectStore(KEYS) })
    await done
    return result
  } finally {
    database.close()
  }
}

const fact = async <Value>(name: string): Promise<Value | undefined> =>
  await inDatabase('readonly', async ({ facts }) => (await resultOf(facts.get(name))) as Value | undefined)

/** Never leaves the browser: the files of a profile contain no name of a chat as text. */
async function sealKey(): Promise<CryptoKey> {
  const kept = await fact<CryptoKey>('seal')
  if (kept) return kept
  const made = await crypto.subtle.generateKey(AES, false, ['encrypt', 'decrypt'])
  return await inDatabase('readwrite', async ({ facts }) => {
    // Another tab may have made one since.
    const other = (await resultOf(facts.get('seal'))) as CryptoKey | undefined
    if (!other) facts.put(made, 'seal')
    return other ?? made
  })
}

async function seal(value: unknown): Promise<Sealed> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const plain = new TextEncoder().encode(JSON.stringify(value))
  return { nonce, bytes: await crypto.subtle.encrypt({ name: AES.name, iv: nonce }, await sealKey(), plain) }
}

async function unseal({ nonce, bytes }: Sealed): Promise<unknown> {
  const plain = await crypto.subtle.decrypt({ name: AES.name, iv: nonce }, await sealKey(), bytes)
  return JSON.parse(new TextDecoder().decode(plain))
}

async function writeTable({ settings, chats, keys }: PushTable): Promise<void> {
  const sealed = await seal(chats)
  const imported = await Promise.all(
    keys.map(async each => {
      const key = await crypto.subtle.importKey('raw', new Uint8Array(each.key), AES.name, false, ['decrypt'])
      return { name: keyName(each), key }
    }),
  )
  await inDatabase('readwrite', async stores => {
    stores.facts.put(settings, 'settings')
    stores.facts.put(sealed, 'chats')
    stores.keys.clear()
    for (const { name, key } of imported) stores.keys.put(key, name)
  })
}

async function clearAll(): Promise<void> {
  await inDatabase('readwrite', async ({ facts, keys }) => {
    facts.clear()
    keys.clear()
  })
}

export const readPushSettings = async (): Promise<NotifySettings | undefined> => await fact<NotifySettings>('settings')

export async function findPushChat(group: string): Promise<PushChat | undefined> {
  const sealed = await fact<Sealed>('chats')
  if (!sealed) return undefined
  return ((await unseal(sealed)) as PushChat[]).find(chat => chat.group === group)
}

export const findPreviewKey = async (of: { group: string; epoch: number }): Promise<CryptoKey | undefined> =>
  await inDatabase('readonly', async ({ keys }) => (await resultOf(keys.get(keyName(of)))) as CryptoKey | undefined)

/** A message for which a notification is to be shown. `preview`: the words for it that came with a push. */
export type AnnouncedMessage = {
  message: MessageId
  chat: ChatId
  ts: number
  isPush: boolean
  preview?: MessagePreview | undefined
}

/**
 * False if a notification of this message was shown before, by a page or by the service worker. A push stands for all
 * messages of its chat up to the newest one, and names only that. Without push notifications only pages show any, and
 * nothing is stored.
 */
export async function claimShown({ preview, ...notified }: AnnouncedMessage): Promise<boolean> {
  const sealed = preview && (await seal(preview))
  return await inDatabase('readwrite', async ({ facts }) => {
    if (!(await resultOf(facts.get('settings')))) return true
    const shown = ((await resultOf(facts.get('shown'))) as StoredNotification[] | undefined) ?? []
    if (shown.some(other => standsFor(other, notified))) return false
    const all = [...shown, { ...notified, ...(sealed && { preview: sealed }) }]
    facts.put(all.slice(-SHOWN_MAX), 'shown')
    return true
  })
}

const standsFor = (shown: StoredNotification, { message, chat, ts }: AnnouncedMessage): boolean =>
  shown.message === message || (shown.isPush && shown.chat === chat && shown.ts > ts)

async function shownPreviews(): Promise<ShownPreview[]> {
  const shown = (await fact<StoredNotification[]>('shown')) ?? []
  const found: ShownPreview[] = []
  for (const { message, chat, preview } of shown)
    if (preview) found.push({ message, chat, preview: (await unseal(preview)) as MessagePreview })
  return found
}

async function settlePreview(message: MessageId): Promise<void> {
  await inDatabase('readwrite', async ({ facts }) => {
    const shown = ((await resultOf(facts.get('shown'))) as StoredNotification[] | undefined) ?? []
    const settled = shown.map(({ preview, ...rest }) =>
      rest.message === message || !preview ? rest : { ...rest, preview },
    )
    facts.put(settled, 'shown')
  })
}

/** The page knows how many messages are unread. */
export async function setUnread(count: number): Promise<void> {
  await inDatabase('readwrite', async ({ facts }) => {
    if (await resultOf(facts.get('settings'))) facts.put({ count, pushed: {} } satisfies UnreadCount, 'unread')
  })
}

/** Returns how many are unread. A push says how many messages of its chat have come since the page was there. */
export async function addPushed(chat: string, count: number): Promise<number> {
  return await inDatabase('readwrite', async ({ facts }) => {
    const before = (await resultOf(facts.get('unread'))) as UnreadCount | undefined
    const unread: UnreadCount = { count: before?.count ?? 0, pushed: { ...before?.pushed, [chat]: count } }
    facts.put(unread, 'unread')
    return Object.values(unread.pushed).reduce((sum, each) => sum + each, unread.count)
  })
}

export const browserPushShelf: PushShelf = {
  write: writeTable,
  clear: clearAll,
  previews: shownPreviews,
  settlePreview,
}
