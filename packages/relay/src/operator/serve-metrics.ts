// Serves the relay's metrics on a separate port, so that no proxy can publish them by mistake.
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import {
  type CloseStack,
  inBackground,
  type ListenAddress,
  type Log,
  listenUrl,
  relayFixedLimits,
} from '@postern/protocol'
import { buildInfo, Gauge, METRICS_TYPE, type Metric, renderMetrics } from '@postern/protocol/metrics'
import { requestsInTurn } from '@postern/protocol/node'
import { processMetrics } from '@postern/protocol/process-metrics'
import { answerError, closeToBrowsers, notFound } from '../http/answer.ts'
import { listenOn } from '../http/listen.ts'
import type { RelayMetrics } from '../metrics/relay-figures.ts'
import { VERSION } from '../version.ts'
import type { Overview, OverviewCounts } from './overview.ts'

const { createServer } = process.getBuiltinModule('node:http')

type Told = { figures: RelayMetrics; overview: Overview; log: Log }

/** Returns the address. */
export async function serveMetrics(listen: ListenAddress, told: Told, opened: CloseStack): Promise<string> {
  const own = opened.add(processMetrics(), it => it.stop())
  const answerOne = (request: IncomingMessage, response: ServerResponse): void =>
    inBackground(answer(request, response, { ...told, own: [...own.metrics, buildInfo(VERSION)] }), {
      what: 'metrics failed',
      log: told.log,
    })
  const server = opened.add(createServer(requestsInTurn(answerOne)), stop)
  server.maxConnections = relayFixedLimits.metricsConnectionsMax
  server.timeout = relayFixedLimits.metricsIdleMs
  return listenUrl({ ...listen, port: await listenOn(server, listen) })
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

async function answer(request: IncomingMessage, response: ServerResponse, told: Told & { own: Metric[] }) {
  closeToBrowsers(response)
  if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') return notFound(response)
  try {
    const { figures, overview, own } = told
    const body = renderMetrics([...figures.metrics, ...gaugesOf(await overview.read('lately')), ...own])
    // A browser shows them instead of saving them.
    response.removeHeader('Content-Disposition')
    response.writeHead(200, { 'Content-Type': METRICS_TYPE, 'Content-Length': Buffer.byteLength(body) }).end(body)
  } catch (error) {
    answerError(response, error)
  }
}

/** An unknown value is left out. */
const gauge = (name: string, help: string, read: () => number | undefined): Gauge =>
  new Gauge({ name: `postern_relay_${name}`, help }, () => read() ?? {})

const gaugesOf = (seen: OverviewCounts): Metric[] => [
  new Gauge(
    { name: 'postern_relay_connections', help: 'Connections, by whether they have logged in.', label: 'state' },
    () => ({ member: seen.members, newcomer: seen.newcomers }),
  ),
  gauge('pushes_waiting', 'Devices with a push that is on its way or waits for its time.', () => seen.pushesWaiting),
  gauge('push_age_seconds', 'Age of the oldest entry that waits for such a push.', () => seen.pushAgeSec),
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
  gauge('backup_age_seconds', 'Age of the last backup; absent if there is none.', () => seen.backupAgeSec),
  new Gauge(
    { name: 'postern_relay_takes', help: '1 while it takes what is new, 0 while it has no room.', label: 'what' },
    () => ({ messages: Number(seen.takesMessages), blobs: Number(seen.takesBlobs) }),
  ),
]
