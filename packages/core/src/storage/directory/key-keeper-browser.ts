// The key of the database in a browser:
// random, and stored only wrapped under a CryptoKey whose bytes no script can read.
import { CodedError, Deferred } from '@postern/protocol'
import { coded, isNamed } from '../sqlite/opfs-browser.ts'
import type { LockedKey } from './passphrase-lock-browser.ts'

const KEEPER = 'postern-key'
const SHELF = 'key'
const KEY_BYTES = 32
const NONCE_BYTES = 12

type ShelfQuestion<T> = (shelf: IDBObjectStore) => IDBRequest<T>
type KeptKey = {
  wrapper: CryptoKey
  nonce: Uint8Array<ArrayBuffer>
  /** The key, or what a passphrase turns into the key. */
  wrapped: ArrayBuffer
  lock?: Omit<LockedKey, 'sealed'>
  /** Wrong passphrases since the last right one. Counted before each is tried. */
  misses?: number
  /**
   * An account was opened with it: if there is no database, the browser has cleared it.
   * Keys of earlier versions lack this.
   */
  isUsed?: true
}

const kept = (directory: string): Promise<KeptKey | undefined> =>
  onShelf('readonly', shelf => shelf.get(directory) as IDBRequest<KeptKey | undefined>)

export const hasKey = async (directory: string): Promise<boolean> => (await kept(directory)) !== undefined

/**
 * Throws `database-key-wrong` when the stored key cannot be unwrapped, `passphrase-needed` when it is locked, and
 * `passphrase-wrong`.
 */
export async function keptKey(directory: string, passphrase?: string): Promise<Uint8Array | undefined> {
  const found = await kept(directory)
  if (!found) return undefined
  if (found.lock && passphrase === undefined) throw new CodedError('passphrase-needed')
  return found.lock
    ? await unlocked({ ...found, lock: found.lock }, directory, passphrase ?? '')
    : await unwrap(found, directory)
}

export type KeyLockState = { isSet: boolean; misses: number }

export async function keyLockState(directory: string): Promise<KeyLockState> {
  const found = await kept(directory)
  return { isSet: found?.lock !== undefined, misses: found?.misses ?? 0 }
}

/** Without a passphrase the key is no longer locked. One change on disk: a kill leaves the old lock or the new one. */
export async function setKeyLock(directory: string, key: Uint8Array, passphrase: string | undefined): Promise<void> {
  const locked = passphrase === undefined ? undefined : await (await locks()).lockKey(key, passphrase)
  const wrapped = await wrap(locked ? new Uint8Array(locked.sealed) : key)
  const { salt, costLog2, nonce } = locked ?? {}
  const lock = salt && costLog2 && nonce ? { salt, costLog2, nonce } : undefined
  await onShelf('readwrite', shelf => shelf.put({ ...wrapped, isUsed: true, ...(lock && { lock }) }, directory))
}

/** Loaded with the first lock: most people have none. */
const locks = async () => await import('./passphrase-lock-browser.ts')

/** A kill during the derivation counts as a wrong passphrase: otherwise a thief would try without being counted. */
async function unlocked(
  found: KeptKey & Required<Pick<KeptKey, 'lock'>>,
  directory: string,
  passphrase: string,
): Promise<Uint8Array> {
  const { misses = 0, ...rest } = found
  await onShelf('readwrite', shelf => shelf.put({ ...found, misses: misses + 1 }, directory))
  const sealed = (await unwrap(found, directory)).buffer
  const key = await (await locks()).unlockKey({ ...found.lock, sealed }, passphrase)
  if (!key) throw new CodedError('passphrase-wrong')
  await onShelf('readwrite', shelf => shelf.put(rest, directory))
  return key
}

/**
 * Whether an account was ever opened with the key.
 * The key alone does not show this: it is made before the account has a name.
 */
export const isKeyUsed = async (directory: string): Promise<boolean> => (await kept(directory))?.isUsed === true

export async function noteKeyUsed(directory: string): Promise<void> {
  const found = await kept(directory)
  if (found && !found.isUsed) await onShelf('readwrite', shelf => shelf.put({ ...found, isUsed: true }, directory))
}

/** If two first starts happen at the same moment, both use the key that was stored first. */
export async function makeKey(directory: string): Promise<Uint8Array> {
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES))
  const wrapped = await wrap(key)
  try {
    await onShelf('readwrite', shelf => shelf.add(wrapped, directory))
    return key
  } catch (error) {
    const other = error instanceof CodedError && isNamed(error.cause, 'ConstraintError')
    const first = other ? await keptKey(directory) : undefined
    if (!first) throw error
    return first
  }
}

/** Stores the key of a backup. It replaces a key without a database, left by a start that was cut off. */
export async function keepKey(directory: string, key: Uint8Array): Promise<void> {
  const wrapped = await wrap(key)
  await onShelf('readwrite', shelf => shelf.put(wrapped, directory))
}

/** After this, nothing opens the database any more, whatever the browser leaves on the disk. */
export async function forgetKey(directory: string): Promise<void> {
  await onShelf('readwrite', shelf => shelf.delete(directory))
}

async function wrap(key: Uint8Array): Promise<KeptKey> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const wrapper = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
  const wrapped = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, wrapper, key.slice())
  return { wrapper, nonce, wrapped }
}

async function unwrap({ wrapper, nonce, wrapped }: KeptKey, directory: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv: nonce }, wrapper, wrapped))
  } catch (cause) {
    throw new CodedError('database-key-wrong', { directory }, { cause })
  }
}

/** Resolves when the change is on disk: a database must not exist before its key. */
async function onShelf<T>(mode: IDBTransactionMode, ask: ShelfQuestion<T>): Promise<T> {
  const keeper = await coded(openKeeper())
  try {
    return await coded(asked(keeper.transaction(SHELF, mode, { durability: 'strict' }), ask))
  } finally {
    keeper.close()
  }
}

async function asked<T>(transaction: IDBTransaction, ask: ShelfQuestion<T>): Promise<T> {
  const wait = new Deferred<T>()
  const request = ask(transaction.objectStore(SHELF))
  transaction.addEventListener('complete', () => wait.resolve(request.result))
  transaction.addEventListener('abort', () => wait.reject(transaction.error ?? request.error))
  return await wait.promise
}

async function openKeeper(): Promise<IDBDatabase> {
  const wait = new Deferred<IDBDatabase>()
  const opening = indexedDB.open(KEEPER, 1)
  opening.addEventListener('upgradeneeded', () => void opening.result.createObjectStore(SHELF))
  opening.addEventListener('success', () => wait.resolve(opening.result))
  opening.addEventListener('error', () => wait.reject(opening.error))
  return await wait.promise
}
