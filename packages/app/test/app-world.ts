// The app's worker in Node: a real client on a real relay, and pages that call and watch like those of a browser.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectNodeBlobs, nodeFileCipher, openNodeClient } from '@postern/core/node'
import { makeNodeProvider } from '@postern/mls/node'
import {
  type ChatId,
  type Clock,
  CodedError,
  fromUtf8,
  type Log,
  type MessageId,
  systemClock,
  utf8,
} from '@postern/protocol'
import { type TestPerson, Wire, type World } from '@postern/testkit'
import type { AppCallAnswer, AppCallName, CallAsked } from '../src/contract/calls.ts'
import type { SeenView, ToPage } from '../src/contract/messages.ts'
import type { FaultView } from '../src/contract/objects.ts'
import type { PushEvent } from '../src/contract/push-events.ts'
import type { ViewArgs, ViewName, ViewValue } from '../src/contract/views.ts'
import type { PushShelf, PushTable, ShownPreview } from '../src/notifications/push-database.ts'
import { Host } from '../src/worker/host.ts'
import type {
  AccountBeginning,
  AccountCopy,
  AccountPassphrase,
  OpenedAccount,
  WorkerPlatform,
} from '../src/worker/platform.ts'

class NoAccount extends Error {}

export type LogLine = { text: string; fields: object }
type RimOptions = {
  world: World
  directory: string
  wire: Wire
  clock: Clock
  lines: LogLine[]
  restored: AccountCopy[]
  connectBlobs: ConnectBlobs | undefined
  later: ((run: () => void) => void) | undefined
  pushShelf: TestPushShelf
  lock: TestLock
}

/** The facts that the service worker would read. */
class TestPushShelf implements PushShelf {
  table: PushTable | undefined
  shown: ShownPreview[] = []

  async write(table: PushTable): Promise<void> {
    this.table = table
  }

  async clear(): Promise<void> {
    this.table = undefined
  }

  async previews(): Promise<ShownPreview[]> {
    return [...this.shown]
  }

  async settlePreview(message: MessageId): Promise<void> {
    this.shown = this.shown.filter(other => other.message !== message)
  }
}

type Secret = { passphrase?: string; misses: number }

/** Node's platform has no lock: this one refuses like a browser's, and survives restarts like its own. */
class TestLock implements AccountPassphrase {
  readonly #path: string
  /** A disk that fails when a lock is stored. */
  isBroken = false

  constructor(path: string) {
    this.#path = path
  }

  secret(): Secret {
    return existsSync(this.#path) ? (JSON.parse(readFileSync(this.#path, 'utf8')) as Secret) : { misses: 0 }
  }

  forget(): void {
    rmSync(this.#path, { force: true })
  }

  open(given: string | undefined): void {
    const { passphrase, misses } = this.secret()
    if (passphrase === undefined) return
    if (given === undefined) throw new CodedError('passphrase-needed')
    this.#store({ passphrase, misses: given === passphrase ? 0 : misses + 1 })
    if (given !== passphrase) throw new CodedError('passphrase-wrong')
  }

  async isSet(): Promise<boolean> {
    return this.secret().passphrase !== undefined
  }

  async set(passphrase: string | undefined): Promise<void> {
    if (this.isBroken) throw new CodedError('storage-full')
    this.#store({ ...(passphrase !== undefined && { passphrase }), misses: 0 })
  }

  async assertMatches(passphrase: string): Promise<void> {
    this.open(passphrase)
  }

  #store(secret: Secret): void {
    writeFileSync(this.#path, JSON.stringify(secret))
  }
}

const COPY_BYTES = 300_000
/**
 * Guessing the words of a saved file costs a millisecond here; `packages/core/test/sealed-file.test.ts` tests the real
 * cost.
 */
const SEAL_COST_LOG2 = 10

/** A browser ends a worker with all its timers: one of ten minutes must not outlive the test. */
const workerClock: Clock = {
  ...systemClock,
  setTimer(afterMs, run) {
    const handle = setTimeout(run, afterMs).unref()
    return { cancel: () => clearTimeout(handle) }
  },
}

/**
 * Node's database is in several files while it is open: the bytes that are passed in its place name their folder, and
 * are about as large.
 */
function copyDatabase(world: World, directory: string): AccountCopy {
  const copied = join(world.directory, `copy-${crypto.randomUUID()}`)
  // A browser's copy has no files of messages either.
  cpSync(directory, copied, { recursive: true, filter: path => path !== join(directory, 'files') })
  const database = new Uint8Array(COPY_BYTES)
  database.set(utf8(copied))
  return { database, key: new Uint8Array(32).fill(6) }
}

const layCopy = ({ database }: AccountCopy, directory: string): void =>
  cpSync(fromUtf8(database.slice(0, database.indexOf(0))), directory, { recursive: true })

/** The platform of a worker, with the storage of a browser that has promised nothing. */
function nodeRim(options: RimOptions): WorkerPlatform {
  const { world, directory, wire, clock, lines, restored, connectBlobs, later, pushShelf, lock } = options
  const note = (fields: object, text: string) => void lines.push({ text, fields })
  const log: Log = { debug: () => undefined, info: () => undefined, warn: note, error: note }
  const open = async (beginning?: AccountBeginning, passphrase?: string): Promise<OpenedAccount | undefined> => {
    lock.open(passphrase)
    if (beginning && 'restored' in beginning) {
      restored.push(beginning.restored)
      layCopy(beginning.restored, directory)
    }
    try {
      const client = await openNodeClient({
        directory,
        acceptRequests: 'contacts',
        reportsAll: true,
        connect: wire.connect,
        ...(connectBlobs && { connectBlobs }),
        relayUrl: world.relayUrl,
        clock,
        ...(beginning && 'relayCode' in beginning && { relayInvite: beginning.relayCode }),
        firstStart: () => {
          if (beginning && 'firstStart' in beginning) return beginning.firstStart
          throw new NoAccount()
        },
      })
      const forgetEverything = async () => {
        await client.stop()
        rmSync(directory, { recursive: true })
        lock.forget()
      }
      return { client, lock, forgetEverything, copy: async () => copyDatabase(world, directory) }
    } catch (error) {
      if (error instanceof NoAccount) return undefined
      throw error
    }
  }
  return {
    clock,
    log,
    relayUrl: world.relayUrl,
    open,
    wrongPassphrases: async () => lock.secret().misses,
    forget: async () => {
      lock.forget()
      rmSync(directory, { recursive: true, force: true })
    },
    assertSupported: () => Promise.resolve(),
    sealer: () => Promise.resolve(makeNodeProvider()),
    sealCostLog2: SEAL_COST_LOG2,
    fetchProfile: account => fetchBytes(world, `/profiles/${account}`),
    connectBlobs: () => (connectBlobs ?? connectNodeBlobs)(world.relayUrl),
    fileCipher: nodeFileCipher,
    storage: {
      persisted: () => Promise.resolve(false),
      estimate: () => Promise.resolve({ usedBytes: 1, quotaBytes: 2 }),
    },
    pushShelf: () => Promise.resolve(pushShelf),
    defer: run => void setImmediate(run),
    later: later ?? (run => void setImmediate(run)),
  }
}

async function fetchBytes(world: World, path: string): Promise<Uint8Array | undefined> {
  try {
    const answer = await fetch(new URL(path, world.relayUrl.replace('ws', 'http')))
    return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : undefined
  } catch (cause) {
    throw new CodedError('relay-unreachable', {}, { cause })
  }
}

type ConnectBlobs = NonNullable<Parameters<typeof openNodeClient>[0]['connectBlobs']>

export type AppOptions = {
  directory?: string
  wire?: Wire
  clock?: Clock
  connectBlobs?: ConnectBlobs | undefined
  /** Holds changes that may be shown a moment later. */
  later?: (run: () => void) => void
}

export class TestApp {
  readonly host: Host
  readonly wire: Wire
  readonly directory: string
  readonly lines: LogLine[]
  readonly restored: AccountCopy[] = []
  readonly pushShelf = new TestPushShelf()
  readonly lock: TestLock
  #pages = 0

  constructor(
    world: World,
    {
      directory = join(world.directory, 'app'),
      wire = new Wire(),
      clock = workerClock,
      connectBlobs,
      later,
    }: AppOptions = {},
  ) {
    this.wire = wire
    this.directory = directory
    this.lines = []
    this.lock = new TestLock(`${directory}.lock`)
    const { lines, restored, pushShelf, lock } = this
    const around = { world, directory, wire, clock, lines, restored, connectBlobs, later, pushShelf, lock }
    this.host = new Host(nodeRim(around))
  }

  /** With an account, online, and one page. */
  static async begin(world: World, options: AppOptions = {}): Promise<{ app: TestApp; page: TestPage }> {
    const app = new TestApp(world, options)
    await app.host.home.start()
    const page = app.page()
    if (!app.host.home.account) await page.call('createAccount', { name: 'alice' })
    await app.online()
    return { app, page }
  }

  get account() {
    const { account } = this.host.home
    if (!account) throw new Error('the account is not open')
    return account
  }

  async online(): Promise<void> {
    await this.account.client.whenOnline({ timeoutMs: 60_000 })
  }

  page(): TestPage {
    return new TestPage(this.host, `page-${++this.#pages}`)
  }
}

export class TestPage {
  readonly name: string
  readonly posted: ToPage[] = []
  readonly tidings: PushEvent[] = []
  /** Called when posted views are shown. */
  onShown: () => void = () => undefined
  readonly #host: Host
  readonly #watched = new Map<number, { name: string; value: unknown; count: number }>()
  readonly #answers = new Map<number, (message: Extract<ToPage, { kind: 'answer' }>) => void>()
  #lastId = 0

  constructor(host: Host, name: string) {
    this.#host = host
    this.name = name
    host.connect(name, message => this.#hear(message))
  }

  async call<Name extends AppCallName>(name: Name, asked: CallAsked<Name>, key?: string): Promise<AppCallAnswer<Name>> {
    return (await this.ask(name, asked, key)) as AppCallAnswer<Name>
  }

  /** As a page of another build might. Rejects with the fault. */
  ask(name: string, asked: unknown, key: string = crypto.randomUUID()): Promise<unknown> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#answers.set(id, message =>
        'fault' in message ? reject(new FaultError(message.fault)) : resolve(message.ok),
      )
      this.#host.take(this.name, { kind: 'ask', id, key, name, asked })
    })
  }

  watch<Name extends ViewName>(name: Name, ...args: ViewArgs<Name>): Watching<ViewValue<Name>> {
    const id = this.watchAny(name, args)
    const seen = () => this.#watched.get(id)
    return {
      get value() {
        return seen()?.value as ViewValue<Name>
      },
      get count() {
        return seen()?.count ?? 0
      },
      end: () => this.#host.take(this.name, { kind: 'unwatch', id }),
    }
  }

  watchAny(name: string, args: unknown[]): number {
    const id = ++this.#lastId
    this.#watched.set(id, { name, value: undefined, count: 0 })
    this.#host.take(this.name, { kind: 'watch', id, name, args })
    return id
  }

  leave(): void {
    this.#host.take(this.name, { kind: 'bye' })
  }

  #hear(message: ToPage): void {
    this.posted.push(message)
    if (message.kind === 'views') for (const view of message.views) this.#show(view)
    if (message.kind === 'tiding') this.tidings.push(message.tiding)
    if (message.kind === 'answer') this.#answers.get(message.id)?.(message)
    this.onShown()
  }

  #show({ id, json }: SeenView): void {
    const watched = this.#watched.get(id)
    const value: unknown = json === undefined ? undefined : JSON.parse(json)
    if (watched) this.#watched.set(id, { ...watched, value, count: watched.count + 1 })
  }
}

export type Watching<Value> = { readonly value: Value; readonly count: number; end(): void }

class FaultError extends Error {
  readonly fault: FaultView

  constructor(fault: FaultView) {
    super(fault.code)
    this.fault = fault
  }
}

/** The app has met the bot. Returns the chat as the app has it. */
export async function meet(page: TestPage, bot: TestPerson): Promise<ChatId> {
  await page.call('openInvite', { link: bot.client.identity.me().inviteUrl })
  return bot.chatId
}

/** The app's messages that the bot has. */
export const heardBy = (bot: TestPerson, app: TestApp): string[] =>
  bot.texts(app.account.client.account as string as ChatId)
