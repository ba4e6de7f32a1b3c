// The demo's bot token: made once, kept in the data directory for its owner alone, the same at every start.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export function keptToken(directory: string): string {
  const path = join(directory, 'token')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  try {
    writeFileSync(path, `${randomBytes(24).toString('base64url')}\n`, { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(path, 'utf8').trim()
}
