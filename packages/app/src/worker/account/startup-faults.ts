// The errors that prevent an account from being opened, as stages of the app.
import { CodedError, isCoded } from '@postern/protocol'
import type { FailureKind, Stage } from '../../contract/stage.ts'

const kinds: readonly [FailureKind, Parameters<typeof isCoded>[1][]][] = [
  ['storage-cleared', ['database-key-missing', 'database-key-wrong', 'database-missing']],
  ['storage-failed', ['storage-failed']],
  ['database-damaged', ['database-damaged']],
  ['storage-full', ['storage-full']],
  ['database-newer', ['database-newer']],
  ['account-unknown', ['account-unknown']],
  ['account-banned', ['account-banned']],
  ['registration-closed', ['registration-closed']],
  ['code-needed', ['invite-required', 'invite-wrong', 'invite-used', 'invite-expired']],
]

/** A relay's refusals of new accounts. An accepted account needs no code, whatever the relay answers. */
export const ofNewcomers = kinds
  .filter(([kind]) => kind === 'registration-closed' || kind === 'code-needed')
  .flatMap(([, codes]) => codes)

/** Thrown by a platform that lacks a requirement of the app. */
export class UnsupportedError extends Error {}

/** Thrown by a platform whose browser does not allow the page to store anything. */
export class StorageRefusedError extends Error {}

export function failedBy(error: unknown): Stage {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof UnsupportedError) return { kind: 'failed', why: 'unsupported', message }
  if (error instanceof StorageRefusedError) return { kind: 'failed', why: 'storage-refused', message }
  const known = kinds.find(([, codes]) => error instanceof CodedError && isCoded(error, ...codes))
  return { kind: 'failed', why: known?.[0] ?? 'unknown', message }
}
