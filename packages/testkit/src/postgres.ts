// A test's own PostgreSQL server: in a temporary directory, durable, to be held, killed and restarted.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chownSync, constants, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Deferred } from '@postern/protocol'
import { freePort } from './free-port.ts'

const DEBIAN = '/usr/lib/postgresql'
const OWNER = 'postgres'
const READY = /database system is ready to accept (read-only )?connections/
/** The end of the server's output. */
const SAID_CHARS_MAX = 20_000
const POLL_MS = 10
/** Small and durable: the tests are about safety, not speed. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  max_connections: '400',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  fsync: 'on',
  synchronous_commit: 'on',
  jit: 'off',
  // In its directory, and removed with it: a killed server would leave it in memory forever.
  dynamic_shared_memory_type: 'mmap',
  lc_messages: 'C',
}

const run = promisify(execFile)

export const POSTGRES_MISSING = 'No PostgreSQL is found here: install `postgresql`, or have `initdb` in the path.'

/**
 * The folder of its programs: the one that POSTGRES_BIN names, one in the path, else the newest that Debian has. Undefined
 * where there is none.
 */
export function findPostgres(): string | undefined {
  const chosen = process.env['POSTGRES_BIN']
  if (chosen && !hasServer(chosen)) throw new Error(`POSTGRES_BIN: ${chosen} has no initdb, postgres and psql.`)
  if (chosen) return chosen
  const versions = readdirOrNone(DEBIAN).toSorted((one, other) => Number(other) - Number(one))
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return [...folders, ...versions.map(version => join(DEBIAN, version, 'bin'))].find(hasServer)
}

function readdirOrNone(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function hasServer(folder: string): boolean {
  try {
    for (const program of ['initdb', 'postgres', 'psql']) accessSync(join(folder, program), constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The result in the database with this address: a line for each row, columns separated by `|`. */
export async function askDatabase(url: string, text: string): Promise<string[]> {
  const programs = findPostgres()
  if (programs === undefined) throw new Error(POSTGRES_MISSING)
  const quietly = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1']
  const { stdout } = await run(join(programs, 'psql'), [...quietly, '-d', url, '-c', text])
  return stdout.split('\n').filter(Boolean)
}

type User = { uid: number; gid: number }

/** The server refuses to run as root: then it runs as its package's user, or as nobody. */
export function ordinaryUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of [OWNER, 'nobody']) {
    try {
      const numberOf = (which: '-u' | '-g') => Number(execFileSync('id', [which, name], { encoding: 'utf8' }))
      return { uid: numberOf('-u'), gid: numberOf('-g') }
    } catch {}
  }
  throw new Error('PostgreSQL does not run as root, and there is no user `postgres` or `nobody`.')
}

type Place = { programs: string; directory: string; port: number; user: User | undefined }

/** `folder`: where the server's directory is. */
type Where = { programs?: string | undefined; folder?: string | undefined }

async function newPlace({ programs = findPostgres(), folder = tmpdir() }: Where): Promise<Place> {
  if (programs === undefined) throw new Error(POSTGRES_MISSING)
  const user = ordinaryUser()
  const directory = mkdtempSync(join(folder, 'postern-pg-'))
  if (user) chownSync(directory, user.uid, user.gid)
  return { programs, directory, port: await freePort(), user }
}

const runIn = async ({ programs, directory, user }: Place, program: string, words: string[]): Promise<string> =>
  (await run(join(programs, program), words, { cwd: directory, ...user })).stdout

export class PostgresServer {
  readonly #place: Place
  readonly #settings: Readonly<Record<string, string>>
  #child: ChildProcess | undefined
  #said = ''
  #databases = 0

  private constructor(place: Place, settings: Readonly<Record<string, string>>) {
    this.#place = place
    this.#settings = settings
  }

  /** Throws where no PostgreSQL is found. `programs`: a folder with those of another version, without psql. */
  static async start(settings: Readonly<Record<string, string>> = {}, where: Where = {}): Promise<PostgresServer> {
    const place = await newPlace(where)
    const initial = ['-U', OWNER, '-A', 'trust', '-E', 'UTF8', '--no-locale']
    await runIn(place, 'initdb', ['-D', join(place.directory, 'data'), ...initial])
    const server = new PostgresServer(place, settings)
    await server.start()
    return server
  }

  /** A copy of its current state that follows it, and may be promoted. */
  async startStandby(settings: Readonly<Record<string, string>>, where: Where = {}): Promise<PostgresServer> {
    const standby = new PostgresServer(await newPlace(where), settings)
    await standby.startAsCopyOf(this)
    return standby
  }

  /** After `kill`: whatever it had is gone, and it follows. Its port stays. */
  async startAsCopyOf(primary: PostgresServer): Promise<void> {
    const data = join(this.#place.directory, 'data')
    rmSync(data, { recursive: true, force: true })
    const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', OWNER, '--checkpoint=fast']
    await runIn(this.#place, 'pg_basebackup', ['-D', data, ...from])
    this.#follow(primary)
    await this.start()
  }

  /** While it runs: from now on it follows another server, or none. */
  followInstead(primary: PostgresServer | undefined): void {
    this.#follow(primary)
    this.#child?.kill('SIGHUP')
  }

  #follow(primary: PostgresServer | undefined): void {
    const { directory, user } = this.#place
    const mark = join(directory, 'data', 'standby.signal')
    writeFileSync(mark, '')
    const settings = join(directory, 'data', 'postgresql.auto.conf')
    const address = primary ? `host=127.0.0.1 port=${primary.port} user=${OWNER}` : ''
    writeFileSync(settings, `primary_conninfo = '${address}'\n`)
    if (user) for (const path of [mark, settings]) chownSync(path, user.uid, user.gid)
  }

  /** It accepts writes from now on. */
  async promote(): Promise<void> {
    await this.sql('SELECT pg_promote()')
  }

  get port(): number {
    return this.#place.port
  }

  /** For clients; through the socket, as a query names it. */
  urlOf(database: string): string {
    return `postgres://${OWNER}@127.0.0.1:${this.port}/${database}`
  }

  /** Restarts on the same data and port, after `kill` or `stop`. */
  async start(): Promise<void> {
    const { programs, directory, port, user } = this.#place
    const settings = { ...SETTINGS, port: String(port), unix_socket_directories: directory, ...this.#settings }
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const child = spawn(join(programs, 'postgres'), ['-D', join(directory, 'data'), ...options], {
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...user,
    })
    this.#child = child
    const ready = new Deferred()
    createInterface({ input: child.stderr }).on('line', line => {
      this.#said = `${this.#said}${line}\n`.slice(-SAID_CHARS_MAX)
      if (READY.test(line)) ready.resolve()
    })
    child.once('error', error => ready.reject(error))
    child.once('exit', code => ready.reject(new Error(`PostgreSQL ended with ${code}: ${this.#said}`)))
    await ready.promise
  }

  /** As an operator does: connections are ended, everything is written. */
  async stop(): Promise<void> {
    await this.#end(child => child.kill('SIGINT'))
  }

  /** Kills all its processes in one step, like a power cut, except that the system keeps its file cache. */
  async kill(): Promise<void> {
    let killed: number[] = []
    await this.#end(child => {
      // Stopped first: it must not start another process while they are counted.
      child.kill('SIGSTOP')
      killed = signalAll(child, 'SIGKILL')
    })
    // A server refuses to start while a process of the one before still has its shared memory.
    while (livingOf(killed).length > 0) await setTimeout(POLL_MS)
  }

  /** Stands still, with its connections open, until it is released. */
  hold(): void {
    this.#child?.kill('SIGSTOP')
    signalAll(this.#child, 'SIGSTOP')
  }

  letGo(): void {
    signalAll(this.#child, 'SIGCONT')
  }

  get isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null
  }

  /** Its last output, for finding a reason. */
  get said(): string {
    return this.#said
  }

  /** Returns the address of an empty one, or of a copy of `template`. */
  async createDatabase(template = 'template0'): Promise<string> {
    const name = `postern_${++this.#databases}`
    await this.sql(`CREATE DATABASE ${name} TEMPLATE ${template}`)
    return this.urlOf(name)
  }

  /** Remaining connections to it are cut. */
  async dropDatabase(url: string): Promise<void> {
    await this.sql(`DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`)
  }

  /** Returns the result: rows in lines, columns separated by `|`. */
  async sql(text: string, database = OWNER): Promise<string> {
    const { directory } = this.#place
    const programs = findPostgres()
    if (programs === undefined) throw new Error(POSTGRES_MISSING)
    const place = ['-h', directory, '-p', String(this.port), '-U', OWNER, '-d', database]
    const { stdout } = await run(join(programs, 'psql'), ['-X', '-q', '-A', '-t', ...place, '-c', text])
    return stdout.trimEnd()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    rmSync(this.#place.directory, { recursive: true, force: true })
  }

  async #end(by: (child: ChildProcess) => void): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    by(child)
    await gone
  }
}

/** Gives the processes that it has signalled. */
function signalAll(server: ChildProcess | undefined, signal: NodeJS.Signals): number[] {
  if (server?.pid === undefined) return []
  const { pid: parent } = server
  const children = processes().filter(each => each.parent === parent)
  const all = [...children.map(({ pid }) => pid), parent]
  for (const pid of all) signalOne(pid, signal)
  return all
}

/** One that has ended holds nothing any more, even before its parent has asked how. */
const livingOf = (pids: readonly number[]): number[] =>
  processes().flatMap(({ pid, state }) => (pids.includes(pid) && !state.startsWith('Z') ? [pid] : []))

function processes(): { pid: number; parent: number; state: string }[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' }).split('\n')
  return lines.filter(Boolean).map(line => {
    const [pid, parent, state = ''] = line.trim().split(/\s+/)
    return { pid: Number(pid), parent: Number(parent), state }
  })
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
