// A relay, a gateway or a person that is backed up while the others talk, and restored from any of its backups.
import { execFile } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { GatewayProcess, type PersonProcess, RelayProcess } from '@postern/testkit/processes'

const LAUNCHER = join(import.meta.dirname, '../../../packages/cli/bin/postern.mjs')
const KEY_BOOK = join(import.meta.dirname, 'key-book.mjs')

type PartProcess = RelayProcess | GatewayProcess | PersonProcess

const postern = async (...args: string[]): Promise<void> =>
  void (await promisify(execFile)(process.execPath, [LAUNCHER, ...args]))

export class RestorablePart<Process extends PartProcess = PartProcess> {
  readonly name: string
  readonly process: Process
  /** Oldest first. */
  readonly backups: string[] = []
  readonly #keyFile: string
  readonly #home: string

  constructor(process: Process, { name, home }: { name: string; home: string }) {
    this.name = name
    this.process = process
    this.#home = home
    this.#keyFile = join(home, `${name}.keys`)
  }

  /** `onFault` receives each line in which the part reports a fault of its own, and its unexpected end. */
  start(onFault: (what: string) => void): void {
    this.process.onLine = line => {
      appendFileSync(join(this.#home, `${this.name}.log`), `${line}\n`)
      if (line.includes('"code":"internal"')) onFault(`${this.name} logged: ${line}`)
    }
    this.process.onCrash = crash => onFault(`${this.name}: ${crash}`)
    if (!(this.process instanceof RelayProcess))
      this.process.life = { nodeFlags: ['--import', KEY_BOOK], env: { CAMPAIGN_KEY_FILE: this.#keyFile } }
    this.process.start()
  }

  async up(): Promise<void> {
    if (this.process instanceof RelayProcess || this.process instanceof GatewayProcess) await this.process.listening()
    else await this.process.ready()
  }

  /** A person has no control socket: the backup is made of the stopped person. */
  async backUp(): Promise<void> {
    const file = join(this.#home, `${this.name}-${this.backups.length}.tar`)
    const isServed = this.process instanceof RelayProcess || this.process instanceof GatewayProcess
    if (!isServed) await this.process.kill()
    await postern('backup', '--data', this.process.directory, '--to', file, '--plain')
    this.backups.push(file)
    if (isServed) return
    this.process.start()
    await this.up()
  }

  /** The part is already stopped, and is started by the caller. */
  async restore(backup: string): Promise<void> {
    rmSync(this.process.directory, { recursive: true })
    await postern('restore', backup, '--data', this.process.directory)
  }

  /** Hashes of the keys that encrypted more than once, in all lives. */
  keysUsedAgain(): string[] {
    const used = existsSync(this.#keyFile) ? readFileSync(this.#keyFile, 'utf8').split('\n').filter(Boolean) : []
    const seen = new Set<string>()
    return used.filter(key => seen.size === seen.add(key).size)
  }
}
