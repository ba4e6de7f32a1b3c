// A relay, gateways and people in one process, over real sockets and files, for tests.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log, RequestPolicy } from '@postern/core'
import { type BlobTransportFactory, openNodeClient } from '@postern/core/node'
import type { Gateway } from '@postern/gateway'
import { type Clock, systemClock } from '@postern/protocol'
import type { RecoveryFacts } from '@postern/protocol/content'
import {
  type BlobPlace,
  makeInvite,
  prepareRestoredDatabase,
  prepareRestoredRelay,
  type Registration,
  type Relay,
  type RelayLimits,
  type RelayOptions,
  startRelay,
} from '@postern/relay'
import { freePort } from './free-port.ts'
import { listeningStore } from './listening-store.ts'
import { TestPerson } from './person.ts'
import {
  databaseOf,
  databaseOptions,
  forgetDatabase,
  forgetDatabaseOf,
  giveDatabase,
  isOnPostgres,
  newDatabase,
} from './test-databases.ts'
import { testLog } from './test-log.ts'
import { Wire } from './wire.ts'

export type WorldOptions = {
  relayLimits?: Partial<RelayLimits>
  relayClock?: Clock
  relayRegistration?: Registration
  /** Additional hosts by which the relay is dialled. */
  relayHosts?: readonly string[]
  /** The folder of the web app that the relay serves. */
  relayApp?: string
  /** The PostgreSQL and the place for blobs that relays share. */
  relayDatabase?: string
  relayBlobs?: BlobPlace | undefined
  /** Called for every call to the relay's store on SQLite, with its arguments. */
  relayAsked?: (method: string, given: unknown[]) => void
  /** Serves its metrics, on a separate port. */
  relayMetrics?: true
  relayPush?: RelayOptions['push']
}
export type PersonOptions = {
  acceptRequests?: RequestPolicy
  bot?: boolean
  clock?: Clock
  directory?: string
  log?: Log
  /** A wire that the test watches or changes before the first frame passes. */
  wire?: Wire
  connectBlobs?: BlobTransportFactory
  fileCacheBytesMax?: number
  relayInvite?: string
  /** Another relay on the same database. */
  relayUrl?: string
  /** The account is not new: it is restored from these facts if its directory is empty. */
  restore?: RecoveryFacts
}

type TestGatewayOptions = { clock?: Clock; log?: Log }

export type TestGateway = Gateway & {
  readonly wire: Wire
  readonly token: string
  /** A request with the token; the answer's JSON. */
  api<Answer>(method: string, path: string, body?: unknown): Promise<{ status: number; body: Answer }>
}

export class World {
  readonly directory: string
  readonly #options: WorldOptions
  readonly #people = new Map<string, TestPerson>()
  readonly #gateways: TestGateway[] = []
  readonly #otherRelays: Relay[] = []
  #relay: Relay
  #databaseBackup: string | undefined

  private constructor(directory: string, { relay, options }: { relay: Relay; options: WorldOptions }) {
    this.directory = directory
    this.#relay = relay
    this.#options = options
  }

  static async start(options: WorldOptions = {}): Promise<World> {
    const directory = mkdtempSync(join(tmpdir(), 'postern-'))
    return new World(directory, { relay: await openRelay(directory, { port: await freePort(), options }), options })
  }

  get #relayDirectory(): string {
    return join(this.directory, 'relay')
  }

  get relayUrl(): string {
    return this.#relay.url
  }

  /** The address of its metrics, if it serves them. */
  get relayMetricsUrl(): string | undefined {
    return this.#relay.metricsUrl
  }

  async stopRelay(): Promise<void> {
    await this.#relay.stop()
  }

  /** On its previous port. `database`: a PostgreSQL to which it has moved. */
  async startRelay({ database }: { database?: string } = {}): Promise<void> {
    this.#relay = await openRelay(this.directory, { port: this.#relay.port, options: this.#options, database })
  }

  /** A second relay on the same database and blob store; returns its address. */
  async startOtherRelay(): Promise<string> {
    const directory = join(this.directory, `relay-${this.#otherRelays.length + 2}`)
    const other = await openRelay(directory, { port: await freePort(), options: this.#options })
    this.#otherRelays.push(other)
    return other.url
  }

  /** Makes a backup for `restoreRelay`. */
  async backUpRelay(): Promise<void> {
    await this.stopRelay()
    cpSync(this.#relayDirectory, join(this.directory, 'relay-backup'), { recursive: true })
    this.#databaseBackup = isOnPostgres() ? await newDatabase(await databaseOf(this.#relayDirectory)) : undefined
    await this.startRelay()
  }

  /** It continues from its backup, without anything that happened since then. */
  async restoreRelay(): Promise<void> {
    await this.stopRelay()
    const directory = this.#relayDirectory
    rmSync(directory, { recursive: true })
    cpSync(join(this.directory, 'relay-backup'), directory, { recursive: true })
    if (this.#databaseBackup === undefined) prepareRestoredRelay(directory)
    else await this.#restoreDatabase(this.#databaseBackup)
    await this.startRelay()
  }

  async #restoreDatabase(backup: string): Promise<void> {
    await forgetDatabaseOf(this.#relayDirectory)
    const restored = await newDatabase(backup)
    await prepareRestoredDatabase(restored, systemClock)
    giveDatabase(this.#relayDirectory, restored)
  }

  /** To another address, with all its data. */
  async moveRelay(): Promise<void> {
    await this.#relay.stop()
    this.#relay = await openRelay(this.directory, { port: await freePort(), options: this.#options })
  }

  /** The code with which a relay with `relayRegistration: 'invite'` accepts one new account. */
  async relayInvite(): Promise<string> {
    const directory = this.#relayDirectory
    return await makeInvite(['--data', directory, ...(await databaseOptions(directory))], {})
  }

  async person(name: string, options: PersonOptions = {}): Promise<TestPerson> {
    const wire = options.wire ?? new Wire()
    const relayUrl = options.relayUrl ?? this.relayUrl
    const directory = options.directory ?? join(this.directory, name)
    const client = await openNodeClient({
      directory,
      acceptRequests: options.acceptRequests ?? 'all',
      reportsAll: !options.bot,
      connect: wire.connect,
      log: options.log ?? testLog(name),
      ...(options.clock && { clock: options.clock }),
      ...(options.connectBlobs && { connectBlobs: options.connectBlobs }),
      ...(options.fileCacheBytesMax !== undefined && { fileCacheBytesMax: options.fileCacheBytesMax }),
      relayInvite: options.relayInvite,
      relayUrl,
      firstStart: () =>
        options.restore ? { restore: options.restore } : { relayUrl, name, bot: options.bot ?? false },
    })
    const person = new TestPerson({ name, client, wire, directory })
    this.#people.set(name, person)
    client.start()
    return await person.online()
  }

  /** The person's process ends, and its data stays on the disk. */
  async close(person: TestPerson): Promise<void> {
    this.#people.delete(person.name)
    await person.client.stop()
  }

  /** Copies the person's data, for `restore`, and starts the person again. */
  async backUp(person: TestPerson, options?: PersonOptions): Promise<TestPerson> {
    await this.close(person)
    rmSync(backupOf(person), { recursive: true, force: true })
    cpSync(person.directory, backupOf(person), { recursive: true })
    return await this.person(person.name, options)
  }

  /** The person continues from the backup, without anything that happened since then. */
  async restore(person: TestPerson, options?: PersonOptions): Promise<TestPerson> {
    await this.putBack(person)
    return await this.person(person.name, options)
  }

  /** Ends the person's process, and puts the backup in the place of its data. */
  async putBack(person: TestPerson): Promise<void> {
    await this.close(person)
    rmSync(person.directory, { recursive: true })
    cpSync(backupOf(person), person.directory, { recursive: true })
  }

  async gateway(environment: Record<string, string> = {}, options: TestGatewayOptions = {}): Promise<TestGateway> {
    // Only now: most tests have no gateway, and it takes long to load.
    const { readSettings, startGateway } = await import('@postern/gateway')
    const { clock, log = testLog('gateway') } = options
    const token = environment['BOT_TOKEN'] ?? 'test-token'
    const wire = new Wire()
    const gateway = await startGateway({
      connect: wire.connect,
      log,
      ...(clock && { clock }),
      settings: readSettings({
        BOT_TOKEN: token,
        BOT_NAME: 'bot',
        RELAY_URL: this.relayUrl,
        LISTEN: '127.0.0.1:0',
        DATA_DIR: join(this.directory, 'gateway'),
        ...environment,
      }),
    })
    const whole: TestGateway = { ...gateway, url: gateway.url, wire, token, api: callApi(gateway.url, token) }
    this.#gateways.push(whole)
    return whole
  }

  async closeGateway(gateway: TestGateway): Promise<void> {
    this.#gateways.splice(this.#gateways.indexOf(gateway), 1)
    await gateway.stop()
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#people.values()].map(person => person.client.stop()))
    await Promise.all(this.#gateways.map(gateway => gateway.stop()))
    await Promise.all([this.#relay, ...this.#otherRelays].map(relay => relay.stop()))
    await forgetDatabaseOf(this.#relayDirectory)
    if (this.#databaseBackup !== undefined) await forgetDatabase(this.#databaseBackup)
    rmSync(this.directory, { recursive: true, force: true })
  }
}

export const backupOf = ({ directory }: TestPerson): string => `${directory}.backup`

async function openRelay(
  directory: string,
  { port, options, database }: { port: number; options: WorldOptions; database?: string | undefined },
): Promise<Relay> {
  const dataDirectory = join(directory, 'relay')
  return await startRelay({
    listen: { host: '127.0.0.1', port },
    dataDirectory,
    database: database ?? options.relayDatabase ?? (await databaseOf(dataDirectory)),
    blobs: options.relayBlobs,
    publicHosts: [`127.0.0.1:${port}`, ...(options.relayHosts ?? [])],
    registration: options.relayRegistration ?? 'open',
    // All people of a test come from one address.
    limits: { registrationsPerAddressPerHour: 10_000, ...options.relayLimits },
    app: options.relayApp,
    push: options.relayPush,
    ...(options.relayMetrics && { metrics: { host: '127.0.0.1', port: 0 } }),
    ...(options.relayClock && { clock: options.relayClock }),
    ...(options.relayAsked && { openStore: listeningStore(options.relayAsked) }),
  })
}

function callApi(url: string, token: string): TestGateway['api'] {
  return async <Answer>(method: string, path: string, body?: unknown) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Answer }
  }
}
