// The command lines of `postern backup` and `postern restore`, and the secrets that files of theirs hold.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parseOptions, UsageError } from '../usage-error.ts'
import type { Opening, Seal } from './archive/seal.ts'

type Environment = Readonly<Record<string, string | undefined>>

export type BackupSettings = {
  directory: string
  /** A file, a folder that is there, or `-`. */
  to: string
  keep: number | undefined
  seal: Seal
  /** Where the copy of the database is made; the data directory itself without it. */
  temp: string | undefined
  isJson: boolean
}

/** `into`: without it the backup is only read and checked. */
export type RestoreSettings = { from: string; into: string | undefined; opening: Opening; isJson: boolean }

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const many = { type: 'string', multiple: true } as const

export function readBackupSettings(argv: readonly string[], env: Environment): BackupSettings {
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
    throw new UsageError('--to: name the file that is to be written, a folder for it, or - for standard output')
  return {
    directory: directoryIn(given.data, env),
    to: given.to,
    keep: given.keep === undefined ? undefined : keptIn(given.keep),
    seal: sealIn(given),
    temp: given.temp,
    isJson: given.json ?? false,
  }
}

export function readRestoreSettings(argv: readonly string[], env: Environment): RestoreSettings {
  const options = { data: text, identity: many, 'passphrase-file': text, verify: flag, json: flag }
  const { values: given, positionals } = parsed(argv, options)
  const [from, ...more] = positionals
  if (from === undefined || more.length > 0) throw new UsageError('name the one backup, or - for standard input')
  if (given.verify && given.data !== undefined) throw new UsageError('--verify restores nothing: leave --data out')
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

function directoryIn(data: string | undefined, env: Environment): string {
  const directory = data ?? env['DATA_DIR']
  if (!directory) throw new UsageError('--data: name the data directory')
  return directory
}

function keptIn(words: string): number {
  if (!/^[1-9]\d{0,3}$/.test(words)) throw new UsageError('--keep: how many stay, from 1 to 9999')
  return Number(words)
}

type SealOptions = { recipient?: string[]; 'passphrase-file'?: string; plain?: boolean }

function sealIn({ recipient = [], 'passphrase-file': file, plain = false }: SealOptions): Seal {
  const ways = [recipient.length > 0, file !== undefined, plain].filter(Boolean).length
  if (ways > 1) throw new UsageError('choose one: --recipient, --passphrase-file or --plain')
  if (recipient.length > 0) return { recipients: recipient }
  if (file !== undefined) return { passphrase: passphraseIn(file) }
  if (plain) return 'plain'
  throw new UsageError(
    'a backup holds the keys of all it has: give --recipient age1... or --passphrase-file FILE, or say --plain',
  )
}

/** The first line: most editors end a file with a line end that nobody means. */
function passphraseIn(path: string): string {
  const [line = ''] = readSecret('--passphrase-file', path).split(/\r?\n/)
  if (line === '') throw new UsageError(`--passphrase-file: the first line of ${path} is empty`)
  return line
}

/** As age writes them: what begins with # is a comment. */
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
