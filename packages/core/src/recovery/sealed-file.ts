// The `.postern` file, which a person keeps outside the program, sealed under six words. For browsers and Node alike.

import { scryptAsync } from '@noble/hashes/scrypt.js'
import { type MlsProvider, NONCE_BYTES, TAG_BYTES } from '@postern/mls'
import {
  type Codec,
  CodedError,
  concatBytes,
  decodeWith,
  encodeWith,
  equalBytes,
  fixed,
  recoveryLimits,
  struct,
  u8,
  utf8,
} from '@postern/protocol'
import { plainWords } from './words.ts'

/** `recovery`: the facts from which an account is rebuilt. `backup`: a whole database with its key. */
export type SealedKind = 'recovery' | 'backup'

type Sealer = Pick<MlsProvider, 'randomBytes' | 'sha256' | 'aeadSeal' | 'aeadOpen'>

export type ByWords = {
  words: string
  provider: Sealer
  /** From 0 to 1, while the words are turned into a key: that takes about a second. */
  onProgress?: (done: number) => void
  /** The cost of a guess for a file that is sealed. Only tests use less than `recoveryLimits.costLog2`. */
  costLog2?: number
}

const MAGIC = utf8('POSTERN\n')
const VERSION = 1
const KINDS: readonly SealedKind[] = ['recovery', 'backup']
const SALT_BYTES = 16
const CHECK_BYTES = 16
const SUM_BYTES = 8
const KEY_BYTES = 32

type Header = {
  kind: number
  costLog2: number
  blockSize: number
  salt: Uint8Array
  nonce: Uint8Array
  /** Distinguishes wrong words from a damaged file. It costs a guess as much as the key itself. */
  check: Uint8Array
}

const header: Codec<Header> = struct({
  kind: u8,
  costLog2: u8,
  blockSize: u8,
  salt: fixed(SALT_BYTES),
  nonce: fixed(NONCE_BYTES),
  check: fixed(CHECK_BYTES),
})
const FIELDS_BYTES = 3 + SALT_BYTES + NONCE_BYTES + CHECK_BYTES
const FIELDS_AT = MAGIC.length + 1
const HEADER_BYTES = FIELDS_AT + FIELDS_BYTES + SUM_BYTES

/** The bytes before the ciphertext, which are authenticated with it. */
function headerBytes(provider: Sealer, fields: Header): Uint8Array {
  const said = concatBytes(MAGIC, Uint8Array.of(VERSION), encodeWith(header, fields))
  return concatBytes(said, sumOf(provider, said))
}

/** Against a bad disk: an attacker that changes the beginning on purpose fails at the words. */
const sumOf = ({ sha256 }: Sealer, said: Uint8Array): Uint8Array => sha256(said).subarray(0, SUM_BYTES)

export async function sealFile(
  { kind, bytes }: { kind: SealedKind; bytes: Uint8Array },
  by: ByWords,
): Promise<Uint8Array> {
  if (bytes.length > recoveryLimits.sealedBytesMax) throw tooLarge()
  const { provider, costLog2 = recoveryLimits.costLog2 } = by
  const { costBlockSize: blockSize } = recoveryLimits
  const salt = provider.randomBytes(SALT_BYTES)
  const nonce = provider.randomBytes(NONCE_BYTES)
  const { key, check } = await deriveKey(by, { costLog2, blockSize, salt })
  const aad = headerBytes(provider, { kind: KINDS.indexOf(kind), costLog2, blockSize, salt, nonce, check })
  return concatBytes(aad, await provider.aeadSeal({ key, nonce, aad }, bytes))
}

/** Throws `recovery-not-ours`, `recovery-newer`, `recovery-damaged`, `recovery-words-wrong` or `too-large`. */
export async function openSealed(file: Uint8Array, by: ByWords): Promise<{ kind: SealedKind; bytes: Uint8Array }> {
  const { provider } = by
  const { kind, fields } = readHeader(provider, file)
  const { key, check } = await deriveKey(by, fields)
  if (!equalBytes(check, fields.check)) throw new CodedError('recovery-words-wrong')
  const aad = file.subarray(0, HEADER_BYTES)
  try {
    const bytes = await provider.aeadOpen({ key, nonce: fields.nonce, aad }, file.subarray(HEADER_BYTES))
    return { kind, bytes }
  } catch (cause) {
    throw new CodedError('recovery-damaged', { why: 'its bytes are not those that were sealed' }, { cause })
  }
}

/** The kind that the file claims to be, before a person is asked for words. */
export const sealedKind = (file: Uint8Array, { provider }: Pick<ByWords, 'provider'>): SealedKind =>
  readHeader(provider, file).kind

function readHeader(provider: Sealer, file: Uint8Array): { kind: SealedKind; fields: Header } {
  if (!equalBytes(file.subarray(0, MAGIC.length), MAGIC)) throw new CodedError('recovery-not-ours')
  if ((file[MAGIC.length] ?? VERSION) > VERSION) throw new CodedError('recovery-newer')
  if (file.length > HEADER_BYTES + recoveryLimits.sealedBytesMax + TAG_BYTES) throw tooLarge()
  if (file.length < HEADER_BYTES + TAG_BYTES) throw damaged('it ends too early')
  const said = file.subarray(0, HEADER_BYTES - SUM_BYTES)
  if (!equalBytes(sumOf(provider, said), file.subarray(said.length, HEADER_BYTES)))
    throw damaged('its beginning is not what was written')
  const fields = decodeWith(header, said.subarray(FIELDS_AT))
  const kind = KINDS[fields.kind]
  const isAffordable =
    fields.costLog2 <= recoveryLimits.costLog2Max && fields.blockSize === recoveryLimits.costBlockSize
  // The file asks for more memory than a browser may have, or for so little that our program did not make it.
  if (!kind || !isAffordable || fields.costLog2 < 1) throw damaged('its beginning asks for what no such file does')
  return { kind, fields }
}

const damaged = (why: string): CodedError => new CodedError('recovery-damaged', { why })
const tooLarge = (): CodedError => new CodedError('too-large', { what: 'The file', max: recoveryLimits.sealedBytesMax })

async function deriveKey(
  { words, onProgress }: ByWords,
  { costLog2, blockSize, salt }: Pick<Header, 'costLog2' | 'blockSize' | 'salt'>,
): Promise<{ key: Uint8Array; check: Uint8Array }> {
  const derived = await scryptAsync(utf8(plainWords(words)), salt, {
    N: 2 ** costLog2,
    r: blockSize,
    p: 1,
    dkLen: KEY_BYTES + CHECK_BYTES,
    // The library's own limit is a little below ours.
    maxmem: 2 ** (recoveryLimits.costLog2Max + 11),
    ...(onProgress && { onProgress }),
  })
  return { key: derived.subarray(0, KEY_BYTES), check: derived.subarray(KEY_BYTES) }
}
