// A full backup: the encrypted database file and its key. A transfer to another device uses the same format.
import { bytes, type Codec, CodedError, decodeWith, encodeWith, fixed, recoveryLimits, struct } from '@postern/protocol'

export type Backup = { databaseKey: Uint8Array; database: Uint8Array }

const DATABASE_KEY_BYTES = 32

const backup: Codec<Backup> = struct({
  databaseKey: fixed(DATABASE_KEY_BYTES),
  database: bytes(recoveryLimits.sealedBytesMax),
})

/** For `sealFile` with the kind `backup`. Anyone who has these bytes can read everything. */
export const encodeBackup = (value: Backup): Uint8Array => encodeWith(backup, value)

export function decodeBackup(encoded: Uint8Array): Backup {
  try {
    return decodeWith(backup, encoded)
  } catch (cause) {
    throw new CodedError('recovery-damaged', { why: 'it holds no database' }, { cause })
  }
}
