// Assembles a relay, starts it, and shuts it down gracefully.
import { once } from 'node:events'
import type { Server } from 'node:http'
import {
  type Clock,
  type CloseStack,
  type CodedError,
  guardedClock,
  type ListenAddress,
  type Log,
  listenUrl,
  MINUTE_MS,
  silentLog,
  startWhole,
  systemClock,
} from '@postern/protocol'
import { Audience } from './accounts/audience.ts'
import { Bans } from './accounts/bans.ts'
import { LoginGate } from './accounts/login-gate.ts'
import { PendingLogins } from './accounts/pending-logins.ts'
import type { Registration } from './accounts/register.ts'
import type { BlobPlace } from './blobs/blob-place.ts'
import { openBlobs } from './blobs/open-blobs.ts'
import { applyPeerEvents } from './cluster/apply-peer-events.ts'
import { type Changeable, type ChangedSettings, changeSettings } from './config/change-settings.ts'
import { ConnectionRegistry } from './connections/connection-registry.ts'
import { SocketServer } from './connections/socket-server.ts'
import type { RelayContext } from './context.ts'
import { EphemeralFrames } from './groups/ephemeral.ts'
import { type AppFiles, readAppFiles } from './http/app-files.ts'
import { allowConnections, createHttpServer } from './http/http-server.ts'
import { listenOn } from './http/listen.ts'
import { InviteFiles } from './invites/invite-files.ts'
import { Invites } from './invites/invites.ts'
import { type DiskRoom, DiskSpace, readDiskRoom } from './limits/disk-space.ts'
import type { TrustedProxies } from './limits/peer-address.ts'
import { Rates } from './limits/rates.ts'
import { type RelayLimits, relayLimits } from './limits/relay-limits.ts'
import { RelayMetrics } from './metrics/relay-figures.ts'
import { openOperatorDesk } from './operator/operator-services.ts'
import { openPushDesk, type PushSettings } from './push/push-desk.ts'
import { claimDataDirectory } from './store/claim-directory.ts'
import { PeerEvents } from './store/peer-events.ts'
import { openPostgresStore } from './store/postgres/postgres-store.ts'
import { PushSignals } from './store/push-signals.ts'
import type { RelayStore, StoreOptions } from './store/relay-store.ts'
import { openSqliteStore } from './store/sqlite/sqlite-store.ts'
import { InProcessWake } from './store/wake.ts'
import { Housekeeping } from './upkeep/housekeeping.ts'

export type RelayOptions = {
  listen: ListenAddress
  dataDirectory: string
  /** The address of a PostgreSQL that any number of relays share, instead of SQLite in the data directory. */
  database?: string | undefined
  limits?: Partial<RelayLimits>
  clock?: Clock
  log?: Log
  /** The hosts that clients dial; required if the relay listens on all addresses of the machine. */
  publicHosts?: readonly string[]
  /** Without them, no header is trusted for the address of a client. */
  proxies?: TrustedProxies | undefined
  registration?: Registration
  /** The folder of the built web app, served at `/`; without one the relay answers with one sentence. */
  app?: string | undefined
  /** Where the metrics are served; without it they are not served. */
  metrics?: ListenAddress | undefined
  /** Pushes to devices that are away; `off`: none. */
  push?: PushSettings | 'off' | undefined
  /** Where blobs are stored, if not in the data directory. */
  blobs?: BlobPlace | undefined
  /** Opens a different store than SQLite or PostgreSQL. */
  openStore?: (options: StoreOptions) => RelayStore | Promise<RelayStore>
  /** Called once when the database is no longer the one that the relay was started on: the relay must then stop. */
  onReplaced?: ((error: CodedError) => void) | undefined
  /** For tests of a disk that fills up. */
  readDisk?: () => DiskRoom
}

export interface Relay {
  /** The address for clients on this machine: http://host:port. */
  readonly url: string
  readonly port: number
  readonly metricsUrl: string | undefined
  /** Applies settings immediately. Returns the names of changed limits, and separately of those that need a restart. */
  change(to: Changeable): ChangedSettings
  /** Graceful shutdown: answers requests in flight, makes them durable, and closes every connection with a goodbye. */
  stop(): Promise<void>
}

export async function startRelay(options: RelayOptions): Promise<Relay> {
  const { clock = systemClock, log = silentLog } = options
  return await startWhole({ clock, log }, opened => openRelay(options, opened))
}

async function openRelay(options: RelayOptions, opened: CloseStack): Promise<Relay> {
  // Before the store is opened: an invalid setting must leave nothing behind.
  const app: AppFiles = options.app === undefined ? new Map() : readAppFiles(options.app)
  const peerEvents = new PeerEvents()
  const parts = await openParts(options, { peerEvents, opened })
  const visitors = new ConnectionRegistry(parts)
  const sockets = opened.add(new SocketServer(parts, visitors), it => it.stop())
  const { server, uploads } = createHttpServer(parts, { sockets, visitors, app })
  applyPeerEvents(peerEvents, { parts, sockets, uploads })
  const housekeeping = new Housekeeping(parts)
  opened.add(server, it => stopServing(parts, { server: it, sockets, abortUploads: () => uploads.abortAll() }))
  const operated = { parts, visitors, sockets, uploads, dataDirectory: options.dataDirectory }
  const { metricsUrl } = await openOperatorDesk(operated, { metricsAt: options.metrics, opened })
  const port = await listenOn(server, options.listen)
  parts.audience.listensOn(port)
  opened.add(housekeeping, it => it.stop()).start()
  opened.add(parts.push?.pusher, it => it?.stop())?.start({ isConnected: device => sockets.isConnected(device) })
  return {
    url: listenUrl({ host: options.listen.host, port }),
    port,
    metricsUrl,
    change: to => {
      const changed = changeSettings(parts, to)
      allowConnections(server, parts.limits)
      return changed
    },
    stop: () => opened.close(),
  }
}

type Opening = { peerEvents: PeerEvents; opened: CloseStack }

async function openParts(options: RelayOptions, { peerEvents, opened }: Opening): Promise<RelayContext> {
  // Before the store is opened: an invalid setting must leave nothing behind.
  const audience = new Audience(options.listen, options.publicHosts ?? [])
  const limits = relayLimits(options.limits)
  const figures = new RelayMetrics()
  const log = figures.counting(options.log ?? silentLog)
  const clock = guardedClock(options.clock ?? systemClock, log)
  const pushSignals = new PushSignals()
  const around = { limits, clock, figures, log, peerEvents, pushSignals, opened }
  const { store, wake, disk } = await openStore(options, around)
  const { dataDirectory } = options
  const { blobs, room } = opened.add(
    await openBlobs(options.blobs, { dataDirectory, disk, store, clock, limits, log }),
    it => it.blobs.close(),
  )
  const contact = `https://${options.publicHosts?.[0] ?? 'localhost'}`
  const pushing = { store, signals: pushSignals, clock, log, figures, contact }
  const push = options.push === 'off' ? undefined : openPushDesk(options.push, pushing)
  const rates = new Rates(clock, MINUTE_MS)
  return {
    store,
    wake,
    disk,
    blobs,
    room,
    limits,
    rates,
    ephemeral: new EphemeralFrames({ store, rates, limits, log }),
    hourlyRates: new Rates(clock, 60 * MINUTE_MS),
    clock,
    log,
    figures,
    audience,
    admission: { registration: options.registration ?? 'open' },
    push,
    invites: new Invites(store.invites ?? new InviteFiles(dataDirectory)),
    bans: await Bans.load(store),
    arrivals: new PendingLogins(),
    loginGate: new LoginGate({ clock, limits }),
    proxies: options.proxies && { ...options.proxies, header: options.proxies.header.toLowerCase() },
  }
}

type StoreContext = Pick<RelayContext, 'limits' | 'clock' | 'figures' | 'log'> & Opening & { pushSignals: PushSignals }

async function openStore(options: RelayOptions, around: StoreContext) {
  const { limits, clock, figures, log, peerEvents, pushSignals, opened } = around
  const directory = options.dataDirectory
  const disk = new DiskSpace({ limits, clock, read: options.readDisk ?? (() => readDiskRoom(directory)) })
  const wake = new InProcessWake()
  const observe = (): ((writes: number) => void) => figures.transaction()
  const open = options.openStore ?? storeOn(options.database)
  // An injected clock must not be compared with the database's own clock.
  const ages = options.clock ? ('by-own-clock' as const) : ('by-both-clocks' as const)
  const { onReplaced = () => undefined } = options
  const given = { directory, limits, wake, peerEvents, pushSignals, clock, ages, log, disk, observe, onReplaced }
  const store = opened.add(await open(given), it => it.close())
  return { store, wake, disk }
}

function storeOn(database: string | undefined): (given: StoreOptions) => RelayStore | Promise<RelayStore> {
  if (database === undefined) return openSqliteStore
  return given => {
    claimDataDirectory(given.directory, { kind: 'postgresql' })
    return openPostgresStore(database, given)
  }
}

type Serving = { server: Server; sockets: SocketServer; abortUploads: () => void }

async function stopServing(parts: RelayContext, { server, sockets, abortUploads }: Serving): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  // Connections answered from here on must not stay open: idle for seconds, they would delay the shutdown.
  server.keepAliveTimeout = 1
  server.keepAliveTimeoutBuffer = 0
  const deadline = parts.clock.setTimer(parts.limits.stopWithinMs, () => {
    parts.log.warn({ connections: sockets.connectionCount }, 'connections not closed in time')
    sockets.terminateAll()
    server.closeAllConnections()
  })
  // A client can resume an upload where it was cut; waiting for one could take the whole shutdown time.
  abortUploads()
  await sockets.stop()
  server.closeIdleConnections()
  await closed
  deadline.cancel()
}
