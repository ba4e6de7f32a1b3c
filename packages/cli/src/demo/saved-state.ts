// The demo's saved state, readable by its owner alone: the bot's token and the relay's port.
import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError, systemCodeOf } from '@postern/protocol'
import { makeDataDirectory, unusable } from '@postern/protocol/node'

export type SavedState = { token: string; relayPort: number }

const pathIn = (directory: string): string => join(directory, 'demo.json')

/** Undefined before the first start. */
export function readSavedState(directory: string): SavedState | undefined {
  const text = readIfThere(directory)
  if (text === undefined) return undefined
  try {
    const { token, relayPort } = JSON.parse(text) as Partial<SavedState>
    if (typeof token === 'string' && typeof relayPort === 'number') return { token, relayPort }
  } catch {
    // Not JSON: treated like JSON with other content.
  }
  throw new CodedError('bad-field', { field: pathIn(directory), rule: 'is damaged. Remove it to get a new token' })
}

/** Includes the relay's port: the bot's account belongs to that address. */
export function saveState(directory: string, relayPort: number): SavedState {
  const facts = { token: randomBytes(24).toString('base64url'), relayPort }
  const path = pathIn(directory)
  makeDataDirectory(directory)
  try {
    // Renamed when complete: half a file, left by a full disk, would break every later start.
    writeFileSync(`${path}.new`, `${JSON.stringify(facts)}\n`, { mode: 0o600, flush: true })
    renameSync(`${path}.new`, path)
  } catch (error) {
    throw unusable(directory, error)
  }
  return facts
}

function readIfThere(directory: string): string | undefined {
  try {
    return readFileSync(pathIn(directory), 'utf8')
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined
    throw unusable(directory, error)
  }
}
