// The command lines of `postern backup` and `postern restore`, and the secrets from the files that they name.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { backupLimits, type Env } from '@postern/protocol'
import { parseOptions, UsageError } from '../usage-error.ts'
import type { SealMethod, UnsealKeys } from './archive/seal.ts'

export type BackupSettings = {
  directory: string
  /** A file, an existing folder, or `-`. */
  to: string
  keep: number | undefined
  seal: SealMethod
  /** The folder for the copy of the database; by default the data directory itself. */
  temp: string | undefined
  isJson: boolean
}

/** `into`: without it the backup is only read and checked. */
export type RestoreSettings = { from: string; into: string | undefined; opening: UnsealKeys; isJson: boolean }

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const many = { type: 'string', multiple: true } as const

export function readBackupSettings(argv: readonly string[], env: Env): BackupSettings {
  const options = {
    data: text,
    to: text,
    keep: text,
    recipient: many,
    'passphrase-file': text,
    plain: flag,
    temp: text,
    json: flag,
  }
  const given = parseOptions(argv, options)
  if (given.to === undefined)
    throw new UsageError('--to: must be the file to write, a folder for it, or - for standard output')
  return {
    directory: directoryIn(given.data, env),
    to: given.to,
    keep: given.keep === undefined ? undefined : keptIn(given.keep),
    seal: sealIn(given),
    temp: given.temp,
    isJson: given.json ?? false,
  }
}

export function readRestoreSettings(argv: readonly string[], env: Env): RestoreSettings {
  const options = { data: text, identity: many, 'passphrase-file': text, verify: flag, json: flag }
  const { values: given, positionals } = parsed(argv, options)
  const [from, ...more] = positionals
  if (from === undefined || more.length > 0) throw new UsageError('name one backup file, or - for standard input')
  if (given.verify && given.data !== undefined) throw new UsageError('--verify restores nothing. Omit --data')
  const passphrase = given['passphrase-file']
  return {
    from,
    into: given.verify ? undefined : directoryIn(given.data, env),
    opening: {
      identities: (given.identity ?? []).flatMap(identitiesIn),
      passphrase: passphrase === undefined ? undefined : passphraseIn(passphrase),
    },
    isJson: given.json ?? false,
  }
}

function parsed<const Wanted extends NonNullable<Parameters<typeof parseArgs>[0]>['options']>(
  argv: readonly string[],
  options: Wanted,
) {
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error))
  }
}

function directoryIn(data: string | undefined, env: Env): string {
  const directory = data ?? env['DATA_DIR']
  if (!directory) throw new UsageError('--data: must name the data directory')
  return directory
}

function keptIn(words: string): number {
  if (!/^[1-9]\d{0,3}$/.test(words)) throw new UsageError('--keep: must be a number of backups from 1 to 9999')
  return Number(words)
}

type SealOptions = { recipient?: string[]; 'passphrase-file'?: string; plain?: boolean }

function sealIn({ recipient = [], 'passphrase-file': file, plain = false }: SealOptions): SealMethod {
  const ways = [recipient.length > 0, file !== undefined, plain].filter(Boolean).length
  if (ways > 1) throw new UsageError('choose one: --recipient, --passphrase-file or --plain')
  if (recipient.length > 0) return { recipients: recipient }
  if (file !== undefined) return { passphrase: newPassphraseIn(file) }
  if (plain) return 'plain'
  throw new UsageError('a backup contains all keys. Use --recipient age1... or --passphrase-file FILE, or --plain')
}

/**
 * A backup may be stored anywhere for years, and everybody who has it can try passphrases without end. Older backups
 * open with any passphrase.
 */
function newPassphraseIn(path: string): string {
  const passphrase = passphraseIn(path)
  const { passphraseCharsMin, passphraseDistinctMin } = backupLimits
  if (passphrase.length < passphraseCharsMin || new Set(passphrase).size < passphraseDistinctMin)
    throw new UsageError(
      `--passphrase-file: must hold at least ${passphraseCharsMin} characters, ${passphraseDistinctMin} of them different`,
    )
  return passphrase
}

/** The first line: most editors end a file with an unintended line end. */
function passphraseIn(path: string): string {
  const [line = ''] = readSecret('--passphrase-file', path).split(/\r?\n/)
  if (line === '') throw new UsageError(`--passphrase-file: the first line of ${path} is empty`)
  return line
}

/** As age writes them: lines that begin with # are comments. */
const identitiesIn = (path: string): string[] =>
  readSecret('--identity', path)
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))

function readSecret(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new UsageError(`${option}: ${path} cannot be read`)
  }
}
