// The relay's metrics, on a listener of their own: what is public is another port, so that no proxy can show them by mistake.
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inBackground, type ListenAddress, type Log, listenUrl, relayFixedLimits } from '@postern/protocol'
import { buildInfo, Gauge, METRICS_TYPE, type Metric, renderMetrics } from '@postern/protocol/metrics'
import { processMetrics } from '@postern/protocol/process-metrics'
import type { RelayFigures } from '../figures/relay-figures.ts'
import { answerError, notFound } from '../http/answer.ts'
import { VERSION } from '../version.ts'
import type { Overview, Seen } from './overview.ts'

const { createServer } = process.getBuiltinModule('node:http')

type Told = { figures: RelayFigures; overview: Overview; log: Log }

export class MetricsListener {
  readonly url: string
  readonly #server: Server
  readonly #stopProcess: () => void

  private constructor(server: Server, { url, stopProcess }: { url: string; stopProcess: () => void }) {
    this.#server = server
    this.url = url
    this.#stopProcess = stopProcess
  }

  static async listen(listen: ListenAddress, told: Told): Promise<MetricsListener> {
    const own = processMetrics()
    const server = createServer((request, response) =>
      inBackground(answer(request, response, { ...told, own: [...own.metrics, buildInfo(VERSION)] }), {
        what: 'metrics failed',
        log: told.log,
      }),
    )
    server.maxConnections = relayFixedLimits.metricsConnectionsMax
    server.timeout = relayFixedLimits.metricsIdleMs
    try {
      server.listen({ port: listen.port, host: listen.host })
      await once(server, 'listening')
    } catch (error) {
      own.stop()
      throw error
    }
    const { port } = server.address() as AddressInfo
    return new MetricsListener(server, { url: listenUrl({ ...listen, port }), stopProcess: own.stop })
  }

  async stop(): Promise<void> {
    this.#stopProcess()
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, told: Told & { own: Metric[] }) {
  if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') return notFound(response)
  try {
    const { figures, overview, own } = told
    const body = renderMetrics([...figures.metrics, ...gaugesOf(await overview.read('lately')), ...own])
    response.writeHead(200, { 'Content-Type': METRICS_TYPE, 'Content-Length': Buffer.byteLength(body) }).end(body)
  } catch (error) {
    answerError(response, error)
  }
}

const gauge = (name: string, help: string, read: () => number): Gauge =>
  new Gauge({ name: `postern_relay_${name}`, help }, read)

const gaugesOf = (seen: Seen): Metric[] => [
  new Gauge(
    { name: 'postern_relay_connections', help: 'Connections, by whether they have logged in.', label: 'state' },
    () => ({ member: seen.members, newcomer: seen.newcomers }),
  ),
  gauge('uploads', 'Blobs that are being uploaded.', () => seen.uploads),
  gauge('accounts', 'Accounts that are registered.', () => seen.accounts),
  gauge('accounts_banned', 'Accounts that the operator has shut out.', () => seen.banned),
  gauge('groups', 'Groups that somebody is in, or was in lately.', () => seen.groups),
  gauge('blobs', 'Complete blobs.', () => seen.blobs),
  gauge('blob_bytes', 'Bytes of all blobs, those on their way included.', () => seen.blobRoomBytes),
  gauge('database_bytes', 'Size of the database.', () => seen.databaseBytes),
  gauge('database_used_bytes', 'What of the database is in use.', () => seen.databaseUsedBytes),
  gauge(
    'database_log_bytes',
    "Size of the database's log, which is written into it now and then.",
    () => seen.logBytes,
  ),
  gauge('disk_free_bytes', 'Room on the disk of the data directory.', () => seen.diskFreeBytes),
  new Gauge(
    { name: 'postern_relay_takes', help: '1 while it takes what is new, 0 while it has no room.', label: 'what' },
    () => ({ messages: Number(seen.takesMessages), blobs: Number(seen.takesBlobs) }),
  ),
]
