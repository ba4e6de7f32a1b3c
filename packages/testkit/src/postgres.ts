// A PostgreSQL server of a test's own: in a temporary directory, durable, to be held, killed and started again.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chownSync, constants, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { Deferred } from '@postern/protocol'
import { freePort } from './free-port.ts'

const DEBIAN = '/usr/lib/postgresql'
const OWNER = 'postgres'
const READY = /database system is ready to accept (read-only )?connections/
/** Of what the server said, the end. */
const SAID_CHARS_MAX = 20_000
/** Small and durable: what is tried here is what holds, not how fast. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  max_connections: '400',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  fsync: 'on',
  synchronous_commit: 'on',
  jit: 'off',
  // In its directory, and gone with it: of a server that is killed it would stay in memory for ever.
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

/** What comes of it in the database with this address: a line for each row, columns between `|`. */
export async function askDatabase(url: string, text: string): Promise<string[]> {
  const programs = findPostgres()
  if (programs === undefined) throw new Error(POSTGRES_MISSING)
  const quietly = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1']
  const { stdout } = await run(join(programs, 'psql'), [...quietly, '-d', url, '-c', text])
  return stdout.split('\n').filter(Boolean)
}

type User = { uid: number; gid: number }

/** The server refuses to run as root: then it runs as the user whom its package made, or as nobody. */
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

async function newPlace(programs = findPostgres()): Promise<Place> {
  if (programs === undefined) throw new Error(POSTGRES_MISSING)
  const user = ordinaryUser()
  const directory = mkdtempSync(join(tmpdir(), 'postern-pg-'))
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
  static async start(settings: Readonly<Record<string, string>> = {}, programs?: string): Promise<PostgresServer> {
    const place = await newPlace(programs)
    const initial = ['-U', OWNER, '-A', 'trust', '-E', 'UTF8', '--no-locale']
    await runIn(place, 'initdb', ['-D', join(place.directory, 'data'), ...initial])
    const server = new PostgresServer(place, settings)
    await server.start()
    return server
  }

  /** A copy of it as it is now that follows it, and may be promoted. */
  async startStandby(settings: Readonly<Record<string, string>>): Promise<PostgresServer> {
    const place = await newPlace()
    const from = ['-h', '127.0.0.1', '-p', String(this.port), '-U', OWNER, '--checkpoint=fast']
    await runIn(place, 'pg_basebackup', ['-D', join(place.directory, 'data'), ...from])
    const standby = new PostgresServer(place, settings)
    standby.#follow(this)
    await standby.start()
    return standby
  }

  /** While it runs: from now on what it repeats comes from another. */
  followInstead(primary: PostgresServer): void {
    this.#follow(primary)
    this.#child?.kill('SIGHUP')
  }

  #follow(primary: PostgresServer): void {
    const { directory, user } = this.#place
    const mark = join(directory, 'data', 'standby.signal')
    writeFileSync(mark, '')
    const settings = join(directory, 'data', 'postgresql.auto.conf')
    writeFileSync(settings, `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=${OWNER}'\n`)
    if (user) for (const path of [mark, settings]) chownSync(path, user.uid, user.gid)
  }

  /** It takes writes from now on. */
  async promote(): Promise<void> {
    await this.sql('SELECT pg_promote()')
  }

  get port(): number {
    return this.#place.port
  }

  /** For clients; of the socket, as a query names it. */
  urlOf(database: string): string {
    return `postgres://${OWNER}@127.0.0.1:${this.port}/${database}`
  }

  /** Again, on the same data and port, after `kill` or `stop`. */
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

  /** As an operator does: connections are ended, all is written. */
  async stop(): Promise<void> {
    await this.#end(child => child.kill('SIGINT'))
  }

  /** Every process of it at once, as a power cut would, but for what the system still has of files. */
  async kill(): Promise<void> {
    await this.#end(child => {
      // First it stands still: it must not start another while they are counted.
      child.kill('SIGSTOP')
      signalAll(child, 'SIGKILL')
    })
  }

  /** Stands still, with its connections open, until it is let go. */
  hold(): void {
    this.#child?.kill('SIGSTOP')
    signalAll(this.#child, 'SIGSTOP')
  }

  letGo(): void {
    signalAll(this.#child, 'SIGCONT')
  }

  get isRunning(): boolean {
    return this.#child !== undefined
  }

  /** What it said last, for who looks for a reason. */
  get said(): string {
    return this.#said
  }

  /** Gives the address of an empty one, or of a copy of `template`. */
  async createDatabase(template = 'template0'): Promise<string> {
    const name = `postern_${++this.#databases}`
    await this.sql(`CREATE DATABASE ${name} TEMPLATE ${template}`)
    return this.urlOf(name)
  }

  /** Whoever is still connected to it is cut off. */
  async dropDatabase(url: string): Promise<void> {
    await this.sql(`DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`)
  }

  /** Gives what came of it: rows in lines, columns between `|`. */
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

function signalAll(server: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (server?.pid === undefined) return
  for (const pid of [...childrenOf(server.pid), server.pid]) signalOne(pid, signal)
}

function childrenOf(parent: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).split('\n')
  const pairs = lines.map(line => line.trim().split(/\s+/).map(Number))
  return pairs.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []))
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It has ended by itself meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
