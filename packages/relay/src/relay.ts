// Puts a relay together, starts it, and stops it without cutting anything off.
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Clock,
  guardedClock,
  type ListenAddress,
  type Log,
  listenUrl,
  MINUTE_MS,
  silentLog,
  systemClock,
} from '@postern/protocol'
import { Audience } from './accounts/audience.ts'
import { Bans } from './accounts/bans.ts'
import type { Registration } from './accounts/register.ts'
import type { BlobPlace } from './blobs/blob-place.ts'
import { openBlobs } from './blobs/open-blobs.ts'
import { type Changeable, type Changed, changeSettings } from './change-settings.ts'
import { Arrivals } from './connections/arrivals.ts'
import type { RelayParts } from './connections/relay-parts.ts'
import { SocketServer } from './connections/socket-server.ts'
import { Visitors } from './connections/visitors.ts'
import { RelayFigures } from './figures/relay-figures.ts'
import { hearElsewhere } from './hear-elsewhere.ts'
import { Housekeeping } from './housekeeping.ts'
import { type AppFiles, readAppFiles } from './http/app-files.ts'
import { allowConnections, createHttpServer } from './http/http-server.ts'
import { InviteFiles } from './invites/invite-files.ts'
import { Invites } from './invites/invites.ts'
import { type DiskRoom, DiskSpace, readDiskRoom } from './limits/disk-space.ts'
import type { TrustedProxies } from './limits/peer-address.ts'
import { Rates } from './limits/rates.ts'
import { type RelayLimits, relayLimits } from './limits/relay-limits.ts'
import { OperatorDesk } from './operator/operator-desk.ts'
import { claimDataDirectory } from './store/data-directory.ts'
import { Elsewhere } from './store/elsewhere.ts'
import { openPostgresStore } from './store/postgres/postgres-store.ts'
import type { RelayStore, StoreOptions } from './store/relay-store.ts'
import { openSqliteStore } from './store/sqlite/sqlite-store.ts'
import { InProcessWake } from './store/wake.ts'

export type RelayOptions = {
  listen: ListenAddress
  dataDirectory: string
  /** The address of a PostgreSQL that any number of relays share, in place of SQLite in the data directory. */
  database?: string | undefined
  limits?: Partial<RelayLimits>
  clock?: Clock
  log?: Log
  /** The hosts that clients dial; needed when the relay listens on all addresses of the machine. */
  publicHosts?: readonly string[]
  /** Without them no header says where a request comes from. */
  proxies?: TrustedProxies | undefined
  registration?: Registration
  /** The folder of the built web app, served at `/`; without one the relay says in a sentence what it is. */
  app?: string | undefined
  /** Where its metrics are served; without it they are not. */
  metrics?: ListenAddress | undefined
  /** Another place for blobs than the data directory. */
  blobs?: BlobPlace | undefined
  /** Another store than these. */
  openStore?: (options: StoreOptions) => RelayStore | Promise<RelayStore>
  /** For tests of a disk that fills up. */
  readDisk?: () => DiskRoom
}

export interface Relay {
  /** Where this machine reaches it: http://host:port. */
  readonly url: string
  readonly port: number
  readonly metricsUrl: string | undefined
  /** From now on these count. Gives the limits that have changed, and apart from them those that wait for a restart. */
  change(to: Changeable): Changed
  /** Answers what is in flight, makes it durable, says goodbye to every connection. */
  stop(): Promise<void>
}

export async function startRelay(options: RelayOptions): Promise<Relay> {
  // Before the store is opened: a setting that is wrong must leave nothing behind.
  const app: AppFiles = options.app === undefined ? new Map() : readAppFiles(options.app)
  const elsewhere = new Elsewhere()
  const parts = await openParts(options, elsewhere)
  const visitors = new Visitors(parts)
  const sockets = new SocketServer(parts, visitors)
  const { server, uploads } = createHttpServer(parts, { sockets, visitors, app })
  hearElsewhere(elsewhere, { parts, sockets, uploads })
  const housekeeping = new Housekeeping(parts)
  const operated = { parts, visitors, sockets, uploads, dataDirectory: options.dataDirectory }
  const desk = await OperatorDesk.open(operated, options.metrics).catch(async (error: unknown) => {
    await closeUnserved(parts, sockets)
    throw error
  })
  try {
    server.listen({ port: options.listen.port, host: options.listen.host })
    await once(server, 'listening')
  } catch (error) {
    await desk.close()
    await closeUnserved(parts, sockets)
    throw error
  }
  housekeeping.start()
  const { port } = server.address() as AddressInfo
  parts.audience.listensOn(port)
  let stopped: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    await desk.close()
    await housekeeping.stop()
    await stopServing(parts, { server, sockets, abortUploads: () => uploads.abortAll() })
    parts.blobs.close()
    await parts.store.close()
  }
  return {
    url: listenUrl({ host: options.listen.host, port }),
    port,
    metricsUrl: desk.metricsUrl,
    change: to => {
      const changed = changeSettings(parts, to)
      allowConnections(server, parts.limits)
      return changed
    },
    stop: () => (stopped ??= stop()),
  }
}

async function closeUnserved(parts: RelayParts, sockets: SocketServer): Promise<void> {
  await sockets.stop()
  parts.blobs.close()
  await parts.store.close()
}

async function openParts(options: RelayOptions, elsewhere: Elsewhere): Promise<RelayParts> {
  // Before the store: a setting that is wrong must leave nothing behind.
  const audience = new Audience(options.listen, options.publicHosts ?? [])
  const limits = relayLimits(options.limits)
  const figures = new RelayFigures()
  const log = figures.counting(options.log ?? silentLog)
  const clock = guardedClock(options.clock ?? systemClock, log)
  const store = await openStore(options, { limits, clock, figures, log, elsewhere })
  const { dataDirectory } = options
  try {
    const around = { dataDirectory, disk: store.disk, store: store.opened, clock, limits }
    const { blobs, room } = await openBlobs(options.blobs, around)
    return {
      store: store.opened,
      wake: store.wake,
      disk: store.disk,
      blobs,
      room,
      limits,
      rates: new Rates(clock, MINUTE_MS),
      hourlyRates: new Rates(clock, 60 * MINUTE_MS),
      clock,
      log,
      figures,
      audience,
      admission: { registration: options.registration ?? 'open' },
      invites: new Invites(store.opened.invites ?? new InviteFiles(dataDirectory)),
      bans: await Bans.load(store.opened),
      arrivals: new Arrivals(),
      proxies: options.proxies && { ...options.proxies, header: options.proxies.header.toLowerCase() },
    }
  } catch (error) {
    await store.opened.close()
    throw error
  }
}

type Around = Pick<RelayParts, 'limits' | 'clock' | 'figures' | 'log'> & { elsewhere: Elsewhere }

async function openStore(options: RelayOptions, around: Around) {
  const { limits, clock, figures, log, elsewhere } = around
  const directory = options.dataDirectory
  const disk = new DiskSpace({ limits, clock, read: options.readDisk ?? (() => readDiskRoom(directory)) })
  const wake = new InProcessWake()
  const observe = (): ((writes: number) => void) => figures.transaction()
  const open = options.openStore ?? storeOn(options.database)
  // A clock that was handed in is not to be compared with one that was not.
  const ages = options.clock ? ('by-own-clock' as const) : ('by-both-clocks' as const)
  return { opened: await open({ directory, limits, wake, elsewhere, clock, ages, log, disk, observe }), wake, disk }
}

function storeOn(database: string | undefined): (given: StoreOptions) => RelayStore | Promise<RelayStore> {
  if (database === undefined) return openSqliteStore
  return given => {
    claimDataDirectory(given.directory, { kind: 'postgresql' })
    return openPostgresStore(database, given)
  }
}

type Serving = { server: Server; sockets: SocketServer; abortUploads: () => void }

async function stopServing(parts: RelayParts, { server, sockets, abortUploads }: Serving): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  // Whoever is answered from here on may not keep its connection: idle for seconds, it would hold up the stop.
  server.keepAliveTimeout = 1
  server.keepAliveTimeoutBuffer = 0
  const deadline = parts.clock.setTimer(parts.limits.stopWithinMs, () => {
    parts.log.warn({ connections: sockets.connectionCount }, 'not all connections ended in time')
    sockets.terminateAll()
    server.closeAllConnections()
  })
  // An upload can go on where it was cut; waiting for one could take all the time there is.
  abortUploads()
  await sockets.stop()
  server.closeIdleConnections()
  await closed
  deadline.cancel()
}
