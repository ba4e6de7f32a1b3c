// The key of the database in a browser: random, and kept only wrapped under a CryptoKey whose bytes no script can read.
import { CodedError, Deferred } from '@postern/protocol'
import { coded, isNamed } from '../sqlite/opfs-browser.ts'

const KEEPER = 'postern-key'
const SHELF = 'key'
const KEY_BYTES = 32
const NONCE_BYTES = 12

type ShelfQuestion<T> = (shelf: IDBObjectStore) => IDBRequest<T>
type KeptKey = {
  wrapper: CryptoKey
  nonce: Uint8Array<ArrayBuffer>
  wrapped: ArrayBuffer
  /** An account was opened with it: without a database, that was cleared away. Keys of earlier versions do not say so yet. */
  isUsed?: true
}

const kept = (directory: string): Promise<KeptKey | undefined> =>
  onShelf('readonly', shelf => shelf.get(directory) as IDBRequest<KeptKey | undefined>)

/** Throws `database-key-wrong` when what is kept does not unwrap. */
export async function keptKey(directory: string): Promise<Uint8Array | undefined> {
  const found = await kept(directory)
  return found && (await unwrap(found, directory))
}

/** Whether an account was ever opened with the key. A key alone says little: one is made before anybody has a name. */
export const isKeyUsed = async (directory: string): Promise<boolean> => (await kept(directory))?.isUsed === true

export async function noteKeyUsed(directory: string): Promise<void> {
  const found = await kept(directory)
  if (found && !found.isUsed) await onShelf('readwrite', shelf => shelf.put({ ...found, isUsed: true }, directory))
}

/** Of two first starts at the same moment the first key counts, for both. */
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

/** The key that came with a backup. One that has no database, of a start that was cut off, gives way to it. */
export async function keepKey(directory: string, key: Uint8Array): Promise<void> {
  const wrapped = await wrap(key)
  await onShelf('readwrite', shelf => shelf.put(wrapped, directory))
}

/** After this nothing opens the database any more, whatever the browser leaves on the disk. */
export async function forgetKey(directory: string): Promise<void> {
  await onShelf('readwrite', shelf => shelf.delete(directory))
}

async function wrap(key: Uint8Array): Promise<KeptKey> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const wrapper = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
  const wrapped = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, wrapper, key.slice())
  return { wrapper, nonce, wrapped }
}

async function unwrap({ wrapper, nonce, wrapped }: KeptKey, directory: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv: nonce }, wrapper, wrapped))
  } catch (cause) {
    throw new CodedError('database-key-wrong', { directory }, { cause })
  }
}

/** Resolves when it is on the disk: a database must not be there before its key. */
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
