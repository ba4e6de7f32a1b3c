// Opens the tools for agents with the gateway, and keeps their cursors moving when MCP is off.
import type { Client, Log } from '@postern/core'
import { ANSWER_READER, RECENT_READER } from '@postern/mcp/stored-names'
import type { Clock } from '@postern/protocol'
import { Counter } from '@postern/protocol/metrics'
import type { GatewaySettings } from '../../config.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import { UpdateDiscard } from '../../queue/update-discard.ts'
import { VERSION } from '../../version.ts'
import type { ServedMcp } from './serve-mcp.ts'

export type McpSurroundings = {
  settings: Pick<GatewaySettings, 'mcp' | 'botOwners' | 'language'>
  clock: Clock
  log: Log
  metrics: Metrics
}

export async function openMcp(client: Client, surroundings: McpSurroundings): Promise<ServedMcp> {
  const { settings, clock, log, metrics } = surroundings
  const { mcp, botOwners: owners, language } = settings
  if (!mcp) return restMcp(client, { clock, log })
  if (mcp.chats.length === 0) log.warn({}, 'agents can reach no chat: MCP_CHATS is empty')
  // Unused parts are not loaded: they would cost every other gateway start time and memory.
  const { serveMcp } = await import('./serve-mcp.ts')
  const { token, chats, write } = mcp
  const counters = countersIn(metrics)
  const mayWrite = write !== 'ask'
  return await serveMcp(
    { client, chats, mayWrite, owners, language, version: VERSION, metrics: counters, clock, log },
    token,
  )
}

function countersIn(metrics: Metrics) {
  const calls = new Counter(
    { name: 'postern_mcp_calls_total', help: 'Calls of tools by agents, by what became of them.', label: 'outcome' },
    ['done', 'refused', 'failed'],
  )
  const asks = new Counter(
    { name: 'postern_mcp_asks_total', help: 'Questions of agents, by what became of them.', label: 'event' },
    ['asked', 'answered', 'expired', 'cancelled'],
  )
  metrics.add([calls, asks])
  const open = { name: 'postern_mcp_asks_open', help: 'Questions of agents that wait for an answer.' }
  return { calls, asks, watchOpen: (count: () => number) => metrics.addGauge(open, count) }
}

/** The cursors from an earlier run move along: if they stayed, the journal would grow forever. */
function restMcp(client: Client, { clock, log }: Pick<McpSurroundings, 'clock' | 'log'>): ServedMcp {
  const discards = [ANSWER_READER, RECENT_READER]
    .filter(reader => client.journal.readerState(reader) !== undefined)
    .map(reader => new UpdateDiscard(client.journal, { clock, log, reader }))
  return {
    serve: () => undefined,
    start: () => undefined,
    release: () => undefined,
    stop: async () => {
      await Promise.all(discards.map(discard => discard.stop()))
    },
  }
}
