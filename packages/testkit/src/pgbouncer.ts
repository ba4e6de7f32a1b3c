// PgBouncer in front of a test's own server: in a temporary directory, and removed with the test.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Deferred } from '@postern/protocol'
import { freePort } from './free-port.ts'
import { ordinaryUser, type PostgresServer } from './postgres.ts'

export const PGBOUNCER_MISSING = 'No PgBouncer is found here: install `pgbouncer`.'

export function hasPgBouncer(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'])
    return true
  } catch {
    return false
  }
}

export class PgBouncer {
  readonly #child: ChildProcess
  readonly #directory: string
  readonly #port: number

  private constructor(child: ChildProcess, place: { directory: string; port: number }) {
    this.#child = child
    this.#directory = place.directory
    this.#port = place.port
  }

  static async start(server: PostgresServer, mode: 'session' | 'transaction'): Promise<PgBouncer> {
    const directory = mkdtempSync(join(tmpdir(), 'postern-bouncer-'))
    const port = await freePort()
    const user = ordinaryUser()
    writeFileSync(join(directory, 'users.txt'), '"postgres" ""\n')
    writeFileSync(
      join(directory, 'pgbouncer.ini'),
      `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(directory, 'users.txt')}
pool_mode = ${mode}
default_pool_size = 40
`,
    )
    if (user)
      for (const path of ['', 'users.txt', 'pgbouncer.ini']) chownSync(join(directory, path), user.uid, user.gid)
    const child = spawn('pgbouncer', [join(directory, 'pgbouncer.ini')], {
      stdio: ['ignore', 'ignore', 'pipe'],
      ...user,
    })
    const ready = new Deferred()
    createInterface({ input: child.stderr }).on('line', line => {
      if (line.includes('process up')) ready.resolve()
    })
    child.once('error', error => ready.reject(error))
    child.once('exit', code => ready.reject(new Error(`PgBouncer ended with ${code}`)))
    await ready.promise
    return new PgBouncer(child, { directory, port })
  }

  /** The same database through it. */
  urlOf(database: string): string {
    const url = new URL(database)
    url.port = String(this.#port)
    return url.href
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
    rmSync(this.#directory, { recursive: true, force: true })
  }
}
