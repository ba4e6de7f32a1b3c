// The scene of a page: a checkout in an empty directory, and a relay, a gateway and Alice as soon as the page needs them.
import { rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { PersonProcess } from '@postern/testkit/processes'
import { readersDirectory } from './readers-directory.ts'
import { type Server, type ServerName, servers } from './servers.ts'
import { Shell } from './shell.ts'
import { factIn } from './shown-facts.ts'
import { type StandIns, standInsIn } from './stand-ins.ts'

export type Outcome = { code: number | null; stdout: string; stderr: string; server?: Shell }

export class Scene {
  readonly #directory: string
  readonly #standIns: StandIns
  readonly #running = new Map<ServerName, Shell>()
  #alice: PersonProcess | undefined
  #people = 0
  #aliceId = ''
  #chat = ''
  #bot = { id: '', invite_url: '' }
  #token = 'a-token-of-the-reader'
  /** The recipient of the reader's encrypted backups. */
  readonly #recipient: string
  /** All answers of commands, as JSON. */
  readonly answered: unknown[] = []
  #said = ''
  /** The reader's terminal keeps them from one block to the next. */
  readonly #exported: Record<string, string> = {}

  private constructor(directory: string, { standIns, recipient }: { standIns: StandIns; recipient: string }) {
    this.#directory = directory
    this.#standIns = standIns
    this.#recipient = recipient
  }

  static async open(): Promise<Scene> {
    const { directory, recipient } = await readersDirectory()
    return new Scene(directory, { standIns: await standInsIn(directory), recipient })
  }

  get servers(): Shell[] {
    return [...this.#running.values()]
  }

  writeFile(name: string, text: string): void {
    const path = resolve(this.#directory, this.#standIns.replaceIn(name))
    writeFileSync(path, `${this.#standIns.replaceIn(text)}\n`, { mode: 0o600 })
  }

  async run(block: string): Promise<Outcome> {
    const server = servers.find(({ command }) => command.test(block))
    await this.#prepare(block, server?.name)
    const text = this.#standIns.replaceIn(block)
    const shell = new Shell(text, { cwd: this.#directory, env: this.#environment(block) })
    Object.assign(this.#exported, exportsIn(text))
    if (server) return await this.#keep(shell, server)
    const code = await shell.end()
    const { stdout, stderr } = shell
    this.#said = stdout
    return { code, stdout, stderr }
  }

  async #keep(shell: Shell, { name, says }: Server): Promise<Outcome> {
    this.#running.set(name, shell)
    await shell.says(stdout => says.test(stdout))
    if (name === 'demo') await this.#meetDemo(shell)
    return { code: 0, stdout: shell.stdout, stderr: shell.stderr, server: shell }
  }

  /** The demo's program introduces the bot while the reader still reads. */
  async #meetDemo({ stdout }: Shell): Promise<void> {
    // The reader pastes this line, and then has the variables that the page uses.
    Object.assign(this.#exported, exportsIn(stdout))
    this.#token = this.#exported['BOT_TOKEN'] ?? ''
    while (!JSON.stringify(await this.#api('/v1/me')).includes('"help"')) await setTimeout(50)
  }

  /** Sets up what the page assumes, and stops servers that its next command replaces. */
  async #prepare(block: string, starts: ServerName | undefined): Promise<void> {
    if (/\$(CHAT|ALICE|ACCOUNT|YOUR_ACCOUNT_ID|INVITE)\b/.test(block)) await this.alice()
    if (starts) await this.#stop(starts)
    if (starts === 'gateway') this.#token = /\bBOT_TOKEN=(\S+)/.exec(block)?.[1] ?? this.#token
    if (starts === 'demo') for (const name of ['relay', 'gateway'] as const) await this.#stop(name)
    if (starts === 'relay' || starts === 'gateway') await this.#stop('demo')
    if (starts === 'relay' || starts === 'demo') await this.#forgetAlice()
    if (starts === 'gateway' || /\/postern-relay\b/.test(block)) await this.#start('relay', starts)
    if (starts === undefined && /:8080\b|\$BOT_TOKEN|\/helper\b/.test(block)) await this.#start('gateway', starts)
  }

  async #start(name: 'relay' | 'gateway', starts: ServerName | undefined): Promise<void> {
    if (starts === name || this.#running.has(name) || this.#running.has('demo')) return
    const relay = 'npm run --silent postern -- relay --listen 127.0.0.1:8090 --data /var/lib/postern-relay'
    const settings = [`BOT_TOKEN=${this.#token}`, 'BOT_NAME=Helper', 'RELAY_URL=https://relay.example']
    // The place that a unit of systemd would use.
    if (name === 'gateway') this.writeFile('/etc/postern/helper.env', settings.join('\n'))
    const bot = [...settings, 'DATA_DIR=/var/lib/helper', 'npm run --silent postern -- gateway'].join(' ')
    await this.run(name === 'relay' ? relay : bot)
  }

  async #stop(name: ServerName): Promise<void> {
    await this.#running.get(name)?.stop()
    this.#running.delete(name)
  }

  #environment(block: string): Record<string, string> {
    const names = [...block.matchAll(/\$\{?([A-Z][A-Z_]*)\b/g)].map(([, name]) => name ?? '')
    const known = names.flatMap((name): [string, string][] => {
      const value = this.#known(name)
      return value === undefined ? [] : [[name, value]]
    })
    return {
      ...this.#exported,
      ...Object.fromEntries(known),
      PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
      HOME: this.#directory,
      CURL_HOME: this.#directory,
      NO_UPDATE_NOTIFIER: '1',
      POSTERN_RELAY_LISTEN: `127.0.0.1:${this.#standIns.portOf(8090)}`,
      LISTEN: `127.0.0.1:${this.#standIns.portOf(8080)}`,
    }
  }

  #known(name: string): string | undefined {
    const told: Readonly<Record<string, string>> = {
      BOT_TOKEN: this.#token,
      BOT: this.#bot.id,
      INVITE: this.#bot.invite_url,
      ALICE: this.#aliceId,
      CHAT: this.#chat,
      ACCOUNT: this.#aliceId,
      YOUR_ACCOUNT_ID: this.#aliceId,
      RECIPIENT: this.#recipient,
    }
    return told[name] || factIn(name, { answered: this.answered, said: this.#said })
  }

  /** She opened the bot's link and sent Hello; all updates until now are confirmed. */
  async alice(): Promise<PersonProcess> {
    if (this.#alice) return this.#alice
    await this.#start('gateway', undefined)
    this.#bot = (await this.#api('/v1/me')) as { id: string; invite_url: string }
    this.#people += 1
    const place = { directory: join(this.#directory, `alice-${this.#people}`), relayUrl: this.#standIns.relayUrl }
    this.#alice = new PersonProcess('Alice', place)
    this.#alice.start()
    this.#aliceId = await this.#alice.ready()
    await this.#alice.do('open', { invite: this.#bot.invite_url, text: 'Hello' })
    await this.#heardHello()
    this.#chat = await this.#printedChat()
    return this.#alice
  }

  /** The demo prints it with its first answer. */
  async #printedChat(): Promise<string> {
    const demo = this.#running.get('demo')
    await demo?.says(stdout => stdout.includes('CHAT='))
    return demo ? (/CHAT=(\S+)/.exec(demo.stdout)?.[1] ?? '') : this.#aliceId
  }

  /** Another relay does not know her. */
  async #forgetAlice(): Promise<void> {
    await this.#alice?.kill()
    this.#alice = undefined
  }

  async letAlice(command: string): Promise<void> {
    const alice = await this.alice()
    await this.#confirmAll()
    const filled = command.replaceAll(/\$([A-Z_]+)/g, (variable, name: string) => this.#known(name) ?? variable)
    const { do: verb, ...fields } = JSON.parse(filled) as { do: string; message?: string }
    // The message of the bot may not have reached her yet.
    while (fields.message !== undefined && !alice.heard.includes(fields.message)) await setTimeout(50)
    await alice.do(verb, { chat: this.#bot.id, ...fields })
  }

  /** Her name comes with her profile, which may arrive a moment after her first message. */
  async #heardHello(): Promise<void> {
    const history = `/v1/chats/${this.#aliceId}/messages`
    const isHeard = async () => /"name":"Alice".*"Hello"/.test(JSON.stringify(await this.#api(history)))
    while (!(await isHeard())) await setTimeout(50)
    await this.#confirmAll()
  }

  /** A program does that itself; with a webhook nobody does, and the gateway refuses. */
  async #confirmAll(): Promise<void> {
    if (!this.#running.has('demo') && !this.#running.has('bot'))
      await this.#api(`/v1/updates?offset=${Number.MAX_SAFE_INTEGER}`)
  }

  async #api(path: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${this.#token}` }
    const answer = await fetch(`http://127.0.0.1:${this.#standIns.portOf(8080)}${path}`, { headers })
    return await answer.json()
  }

  async close(): Promise<void> {
    await this.#forgetAlice()
    for (const name of this.#running.keys()) await this.#stop(name)
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

function exportsIn(text: string): Record<string, string> {
  const lines = [...text.matchAll(/^ *export (.*)$/gm)].map(([, words = '']) => words)
  const set = lines.flatMap(words => [...words.matchAll(/(\w+)=(\S*)/g)])
  return Object.fromEntries(set.map(([, name = '', value = '']): [string, string] => [name, value]))
}
