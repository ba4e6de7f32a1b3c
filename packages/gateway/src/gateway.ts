// One bot behind an HTTP API: opens the client, starts the server, and stops both without cutting a request.
import type { Client, Log, SocketFactory } from '@postern/core'
import { openNodeClient } from '@postern/core/node'
import {
  type Clock,
  type CloseStack,
  type CodedError,
  Deferred,
  gatewayLimits,
  guardedClock,
  isCoded,
  listenUrl,
  startWhole,
  systemClock,
} from '@postern/protocol'
import { ControlServer } from '@postern/protocol/control'
import { openProcessLog } from '@postern/protocol/process-log'
import { applySettings, firstStart } from './bot/apply-settings.ts'
import { followRelay } from './bot/follow-relay.ts'
import { inviteUrlOf } from './bot/get-me.ts'
import { warnOfSettings } from './bot/warn-of-settings.ts'
import type { GatewaySettings } from './config.ts'
import { openHooks } from './hooks/start-hooks.ts'
import { serveConsole } from './http/console/serve-console.ts'
import { GracefulClose } from './http/graceful-close.ts'
import { makeHandlers } from './http/handlers.ts'
import { closeServer, listen } from './http/listen.ts'
import { openMcp } from './http/mcp/open-mcp.ts'
import { referenceFiles } from './http/reference/files.ts'
import { serveReference } from './http/reference/serve-reference.ts'
import { addRoutes } from './http/routes.ts'
import { createServer } from './http/server.ts'
import { serveTelegram } from './http/telegram/serve-telegram.ts'
import { LateRefusals } from './late-refusals.ts'
import { openMetrics } from './metrics/open-metrics.ts'
import { operatorCommands } from './operator-commands.ts'
import { watchGateway } from './owner-notices/watch-gateway.ts'
import { OperatorState } from './queue/operator-state.ts'
import { TOKENS_SHELF, Tokens } from './tokens/tokens.ts'
import { Updates } from './updates/updates.ts'

export type GatewayOptions = { settings: GatewaySettings; clock?: Clock; connect?: SocketFactory; log?: Log }

export type Gateway = {
  readonly url: string
  readonly port: number
  readonly client: Client
  /** Resolves with the fault when the gateway cannot continue and no retry would help. */
  readonly broken: Promise<CodedError>
  stop(): Promise<void>
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { settings, log = gatewayLog(settings) } = options
  const clock = guardedClock(options.clock ?? systemClock, log)
  return await startWhole({ clock, log }, opened => openGateway({ ...options, clock, log }, opened))
}

type Starting = GatewayOptions & { clock: Clock; log: Log }

async function openGateway({ settings, connect, clock, log }: Starting, opened: CloseStack): Promise<Gateway> {
  const client = opened.add(
    await openNodeClient({
      directory: settings.dataDir,
      clock,
      log,
      ...(connect && { connect }),
      firstStart: () => firstStart(settings),
      relayUrl: settings.relayUrl,
      relayInvite: settings.relayInvite,
      acceptRequests: settings.acceptRequests,
    }),
    it => it.stop(),
  )
  const state = new OperatorState(client.journal)
  warnOfSettings(settings, { relayUrl: client.relayUrl, log })
  await followRelay(client, log)
  await applySettings(client, { settings, state })
  return await serve(client, { settings, state, clock, log, opened })
}

export const gatewayLog = ({ logLevel }: Pick<GatewaySettings, 'logLevel'>): Log =>
  openProcessLog({ level: logLevel, waitingBytesMax: gatewayLimits.logWaitingBytesMax })

type Surroundings = { settings: GatewaySettings; state: OperatorState; clock: Clock; log: Log; opened: CloseStack }

async function serve(client: Client, surroundings: Surroundings): Promise<Gateway> {
  const { settings, clock, log, opened } = surroundings
  const reference = settings.reference === 'on' ? referenceFiles() : undefined
  const stopping = new GracefulClose()
  const { metrics } = opened.add(openMetrics(client, { ...settings, clock }), it => it.stopMetrics())
  const updates = opened.add(
    await Updates.open(client.journal, { ...surroundings, metrics, account: client.account, elapsed: client.elapsed }),
    it => it.close(),
  )
  const hooks = opened.add(await openHooks(client, { settings, clock, log, metrics }), it => it.stop())
  const mcp = opened.add(await openMcp(client, { settings, clock, log, metrics }), it => it.stop())
  const tokens = new Tokens(client.records(TOKENS_SHELF), { clock, log })
  await updates.readers.tidy(id => tokens.has(id))
  // With the console, people type tokens.
  const wrongTokens = settings.console === 'on' ? new LateRefusals(clock, 'wrong tokens') : undefined
  const server = opened.add(createServer({ ...settings, wrongTokens, tokens, log, clock, stopping }), async it => {
    stopping.begin()
    // Long polls first: they hold requests open, and the server waits for every request.
    updates.release()
    mcp.release()
    await closeServer(it, { stopping, clock })
  })
  const refusals = {
    // A named reader exists whatever becomes of the queue without a name.
    getUpdates: (query: object) => ('reader' in query ? undefined : updates.assertPolled()),
  }
  const handlers = makeHandlers({ client, updates, metrics, hooks: hooks.served, tokens })
  addRoutes(server, handlers, { stopping, clock, refusals })
  const telegram = { client, readers: updates.readers, metrics, wrongTokens, clock, log }
  if (settings.telegramApi === 'on')
    opened.add(await serveTelegram(server, { ...settings, ...telegram, handlers, stopping }), it => it.stop())
  mcp.serve(server, { handlers, stopping })
  if (reference) serveReference(server, reference)
  if (settings.console === 'on')
    serveConsole(server, {
      hosts: settings.consoleHosts,
      hasReference: reference !== undefined,
      inviteUrl: () => inviteUrlOf(client),
    })
  const port = await listen(server, settings.listen)
  const url = listenUrl({ host: settings.listen.host, port })
  const operator = opened.add(operatorCommands({ client, updates, settings, clock, url }), it => it.stop())
  const { commands } = operator
  opened.add(await ControlServer.listen(settings.dataDir, { commands, clock, log }), it => it?.close())
  const owners = opened.add(watchGateway(client, { settings, updates, hooks: hooks.served?.admin, clock, log }), it =>
    it.stop(),
  )
  const broken = opened.add(whenBroken(client), it => it.forget())
  client.start()
  hooks.start()
  mcp.start()
  owners.start()
  log.info({ url, account: client.account, relay: client.relayUrl }, 'gateway listening')

  const stop = async () => {
    log.info({}, 'stopping')
    await opened.close()
    log.info({}, 'stopped')
  }
  let stopped: Promise<void> | undefined
  return { url, port, client, broken: broken.over, stop: () => (stopped ??= stop()) }
}

function whenBroken(client: Client): { over: Promise<CodedError>; forget: () => void } {
  const broken = new Deferred<CodedError>()
  const forget = client.onConnectionChange(() => {
    if (isCoded(client.refusal, 'database-damaged')) broken.resolve(client.refusal)
  })
  return { over: broken.promise, forget }
}
