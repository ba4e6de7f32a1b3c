// Accounts with keys, and envelopes that a relay accepts: it sees their header, followed by random bytes.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import {
  type AccountId,
  accountIdFromHash,
  concatBytes,
  type GroupId,
  groupIdToBytes,
  type MessageId,
  messageIdFromHash,
} from '@postern/protocol'

export type Key = { publicKey: Uint8Array; privateKey: KeyObject }
export type Account = { id: AccountId; account: Key; device: Key }

export function newAccount(): Account {
  const account = newKey()
  return { id: accountIdFromHash(sha256(account.publicKey)), account, device: newKey() }
}

function newKey(): Key {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'), privateKey }
}

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()
export const messageIdOf = (payload: Uint8Array): MessageId => messageIdFromHash(sha256(payload))

const PAYLOAD_BYTES = 1024
const contentTypes = { message: 1, commit: 3 } as const

/** RFC 9420, section 6.3: version and wire format, group id, epoch, content type. */
export function envelope(
  group: GroupId,
  { kind, epoch }: { kind: keyof typeof contentTypes; epoch: number },
): Uint8Array {
  const head = Uint8Array.of(0, 1, 0, 2, 16)
  const tail = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, epoch, contentTypes[kind])
  return concatBytes(head, groupIdToBytes(group), tail, randomBytes(PAYLOAD_BYTES - 30))
}
