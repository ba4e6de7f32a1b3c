// What the demo keeps for its next start, readable by its owner alone: the bot's token and the relay's port.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '@postern/protocol'

export type KeptFacts = { token: string; relayPort: number }

const pathIn = (directory: string): string => join(directory, 'demo.json')

/** Undefined before the first start. */
export function readKept(directory: string): KeptFacts | undefined {
  const text = readIfThere(pathIn(directory))
  if (text === undefined) return undefined
  try {
    const { token, relayPort } = JSON.parse(text) as Partial<KeptFacts>
    if (typeof token === 'string' && typeof relayPort === 'number') return { token, relayPort }
  } catch {
    // Not JSON: the same as JSON that says something else.
  }
  throw new CodedError('bad-field', { field: pathIn(directory), rule: 'it is damaged; remove it for a new token' })
}

/** With the port on which the relay listens: the bot's account lives there. */
export function keepFacts(directory: string, relayPort: number): KeptFacts {
  const facts = { token: randomBytes(24).toString('base64url'), relayPort }
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(pathIn(directory), `${JSON.stringify(facts)}\n`, { flag: 'wx', mode: 0o600, flush: true })
  return facts
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
