// A directory that plays the root of a server, on which a test types the commands of docs/deploying.md. Programs that need
// more than this machine has (systemctl, docker, kubectl) are managers: they start the same parts by hand.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Shell } from '../snippets/shell.ts'
import { factIn } from '../snippets/shown-facts.ts'
import { type StandIns, standInsIn } from '../snippets/stand-ins.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A process of ours as a unit, a compose file or a pod describes it. */
export type Part = { readonly words: readonly string[]; readonly env: Readonly<Record<string, string>> }

/** Gets the words after the program's name; returns the output of that program. */
export type Manager = (words: readonly string[]) => Promise<string>

const INVITE = 'the-code-of-an-invite'

export class Machine {
  readonly root: string
  readonly #standIns: StandIns
  readonly #running = new Map<string, Shell>()
  readonly #managers = new Map<string, Manager>()
  cwd: string
  /** The output of the last line. */
  said = ''
  #invite = ''

  private constructor(root: string, standIns: StandIns) {
    this.root = root
    this.cwd = root
    this.#standIns = standIns
  }

  static async open(): Promise<Machine> {
    const root = mkdtempSync(join(tmpdir(), 'postern-server-'))
    for (const folder of ['etc/systemd/system', 'var/lib', 'usr/local/bin'])
      mkdirSync(join(root, folder), { recursive: true })
    // A copy: the page writes settings beside these files.
    cpSync(join(ROOT, 'deploy'), join(root, 'deploy'), { recursive: true })
    symlinkSync(join(ROOT, 'packages/cli/bin/postern.mjs'), join(root, 'usr/local/bin/postern'))
    return new Machine(root, await standInsIn(root))
  }

  manage(program: string, manager: Manager): void {
    this.#managers.set(program, manager)
  }

  /** The paths, hosts and ports of a page, as they are on this machine. */
  replaceIn(text: string): string {
    return this.#standIns.replaceIn(text)
  }

  portOf(port: number): number {
    return this.#standIns.portOf(port)
  }

  /** As on the page: managers replace the hosts and ports when they read it. */
  writeFile(name: string, text: string): void {
    const path = resolve(this.root, this.replaceIn(name))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${text.replaceAll(INVITE, this.#invite || INVITE)}\n`)
  }

  /** Types a block line by line. Throws at the first line that fails. */
  async type(block: string): Promise<void> {
    for (const line of block.split('\n')) {
      const [program = '', ...words] = this.replaceIn(line).split(' ')
      const manager = this.#managers.get(program)
      if (program === 'cd') this.cwd = resolve(this.cwd, words.join(' '))
      else this.said = manager ? await manager(words) : await this.run(this.replaceIn(line))
      this.#invite = factIn('RELAY_INVITE', { answered: [], said: this.said }) ?? this.#invite
    }
  }

  /** Runs a line that ends; returns what it prints. */
  async run(line: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const shell = this.#shell(line, env)
    const code = await shell.end()
    if (code !== 0) throw new Error(`${line}: exit code ${code}: ${shell.stdout}${shell.stderr}`)
    return shell.stdout
  }

  /** Starts a part, or starts it again. */
  async start(name: string, { words, env }: Part): Promise<void> {
    await this.stop(name)
    this.#running.set(name, this.#shell(words.map(word => `'${word}'`).join(' '), env))
  }

  /** Asks until the answer is yes. Throws with the output of the part as soon as it has ended. */
  async until(name: string, isReady: () => Promise<boolean>): Promise<void> {
    const part = this.#running.get(name)
    if (!part) throw new Error(`${name} was not started`)
    let ended: number | null | undefined
    const end = part.exitCode.then(code => (ended = code))
    while (!(await isReady())) {
      if (ended !== undefined) throw new Error(`${name} ended with ${ended}: ${part.stdout}${part.stderr}`)
      await Promise.race([setTimeout(100), end])
    }
  }

  async stop(name: string): Promise<void> {
    await this.#running.get(name)?.stop()
    this.#running.delete(name)
  }

  async close(): Promise<void> {
    for (const name of this.#running.keys()) await this.stop(name)
    rmSync(this.root, { recursive: true, force: true })
  }

  #shell(line: string, env: Readonly<Record<string, string>>): Shell {
    const path = [join(this.root, 'usr/local/bin'), dirname(process.execPath), process.env['PATH'] ?? '']
    const own = { PATH: path.join(delimiter), HOME: this.root, RELAY_INVITE: this.#invite }
    // A part's own settings count, without those of the reader's terminal.
    return new Shell(line, {
      cwd: this.cwd,
      env: { ...(Object.keys(env).length === 0 && own), PATH: own.PATH, ...env },
    })
  }
}
