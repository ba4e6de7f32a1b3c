// Encrypts a backup in the format of age, which other programs can decrypt, too, and decrypts it.
import { CodedError } from '@postern/protocol'
import { Decrypter, Encrypter } from 'age-encryption'
import { UsageError } from '../../usage-error.ts'
import { refused } from './read-archive.ts'

/** `plain`: a backup with unencrypted keys is written only on explicit request. */
export type SealMethod = { recipients: readonly string[] } | { passphrase: string } | 'plain'
export type UnsealKeys = { identities: readonly string[]; passphrase: string | undefined }

const MAGIC = 'age-encryption.org/v1\n'

export async function sealed(tar: ReadableStream<Uint8Array>, seal: SealMethod): Promise<ReadableStream<Uint8Array>> {
  if (seal === 'plain') return tar
  return await encrypterFor(seal).encrypt(tar)
}

/** Before anything is read: throws for an invalid recipient. */
export function assertSeal(seal: SealMethod): void {
  if (seal !== 'plain') encrypterFor(seal)
}

function encrypterFor(seal: Exclude<SealMethod, 'plain'>): Encrypter {
  const encrypter = new Encrypter()
  if ('passphrase' in seal) encrypter.setPassphrase(seal.passphrase)
  else for (const recipient of seal.recipients) addRecipient(encrypter, recipient)
  return encrypter
}

function addRecipient(encrypter: Encrypter, recipient: string): void {
  try {
    encrypter.addRecipient(recipient)
  } catch {
    throw new UsageError(`--recipient: ${JSON.stringify(recipient)} is not an age public key (age1...)`)
  }
}

/** The tar, whether it was encrypted or not. Throws `backup-refused` if no given key fits. */
export async function opened(
  archive: AsyncIterable<Uint8Array>,
  opening: UnsealKeys,
): Promise<ReadableStream<Uint8Array>> {
  const { head, whole } = await headOf(archive)
  if (head !== MAGIC) return whole
  const decrypter = decrypterFor(opening)
  try {
    return await decrypter.decrypt(whole)
  } catch (error) {
    if (error instanceof CodedError) throw error
    throw refused('the key does not open it, or its beginning is damaged', error)
  }
}

function decrypterFor({ identities, passphrase }: UnsealKeys): Decrypter {
  if (identities.length === 0 && passphrase === undefined)
    throw new UsageError('the backup is encrypted. Use --identity FILE or --passphrase-file FILE')
  const decrypter = new Decrypter()
  if (passphrase !== undefined) decrypter.addPassphrase(passphrase)
  for (const identity of identities) addIdentity(decrypter, identity)
  return decrypter
}

function addIdentity(decrypter: Decrypter, identity: string): void {
  try {
    decrypter.addIdentity(identity)
  } catch {
    // Not shown: it may be a secret with one letter wrong.
    throw new UsageError('--identity: a line in the file is not an age secret key (AGE-SECRET-KEY-...)')
  }
}

type Begun = { head: string; whole: ReadableStream<Uint8Array> }

async function headOf(archive: AsyncIterable<Uint8Array>): Promise<Begun> {
  const pieces = archive[Symbol.asyncIterator]()
  const read: Uint8Array[] = []
  let bytes = 0
  while (bytes < MAGIC.length) {
    const next = await pieces.next()
    if (next.done) break
    read.push(next.value)
    bytes += next.value.length
  }
  const head = Buffer.concat(read).subarray(0, MAGIC.length).toString('latin1')
  return { head, whole: streamOf(joined(read, pieces)) }
}

async function* joined(read: Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* read
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

const streamOf = (pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull: async controller => {
      const next = await pieces.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
    cancel: async () => void (await pieces.return(undefined)),
  })
