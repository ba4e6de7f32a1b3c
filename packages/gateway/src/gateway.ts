// One bot behind an HTTP API: opens the client, starts the server, and stops both without cutting a request.
import type { Client, Log, SocketFactory } from '@postern/core'
import { openNodeClient } from '@postern/core/node'
import {
  type Clock,
  type CodedError,
  gatewayLimits,
  guardedClock,
  isCoded,
  listenUrl,
  systemClock,
  Wait,
} from '@postern/protocol'
import { ControlServer } from '@postern/protocol/control'
import { openProcessLog } from '@postern/protocol/process-log'
import { applySettings, firstStart } from './bot/apply-settings.ts'
import { followRelay } from './bot/follow-relay.ts'
import { warnOfSettings } from './bot/warn-of-settings.ts'
import type { GatewaySettings } from './config.ts'
import { openHooks } from './hooks/start-hooks.ts'
import { makeHandlers } from './http/handlers.ts'
import { closeServer, listen } from './http/listen.ts'
import { referenceFiles } from './http/reference/files.ts'
import { serveReference } from './http/reference/serve-reference.ts'
import { addRoutes } from './http/routes.ts'
import { createServer } from './http/server.ts'
import { Stopping } from './http/stopping.ts'
import { openMetrics } from './metrics/open-metrics.ts'
import { operatorCommands } from './operator-commands.ts'
import { OperatorState } from './queue/operator-state.ts'
import { Updates } from './updates/updates.ts'

export type GatewayOptions = { settings: GatewaySettings; clock?: Clock; connect?: SocketFactory; log?: Log }

export type Gateway = {
  readonly url: string
  readonly port: number
  readonly client: Client
  /** Resolves when it cannot go on, whatever is tried: with what is wrong. */
  readonly broken: Promise<CodedError>
  stop(): Promise<void>
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { settings, connect, log = gatewayLog(settings) } = options
  const clock = guardedClock(options.clock ?? systemClock, log)
  const client = await openNodeClient({
    directory: settings.dataDir,
    clock,
    log,
    ...(connect && { connect }),
    firstStart: () => firstStart(settings),
    relayUrl: settings.relayUrl,
    relayInvite: settings.relayInvite,
    acceptRequests: settings.acceptRequests,
  })
  try {
    const state = new OperatorState(client.journal)
    warnOfSettings(settings, { relayUrl: client.relayUrl, log })
    await followRelay(client, log)
    await applySettings(client, { settings, state })
    return await serve(client, { settings, state, clock, log })
  } catch (error) {
    await client.stop()
    throw error
  }
}

export const gatewayLog = ({ logLevel }: Pick<GatewaySettings, 'logLevel'>): Log =>
  openProcessLog({ level: logLevel, waitingBytesMax: gatewayLimits.logWaitingBytesMax })

type Surroundings = { settings: GatewaySettings; state: OperatorState; clock: Clock; log: Log }

async function serve(client: Client, surroundings: Surroundings): Promise<Gateway> {
  const { settings, clock, log } = surroundings
  // Before anything is opened that would have to be closed again.
  const reference = settings.reference === 'on' ? referenceFiles() : undefined
  const stopping = new Stopping()
  const { metrics, stopMetrics } = openMetrics(client, settings)
  const updates = await Updates.open(client.journal, {
    ...surroundings,
    metrics,
    account: client.account,
    passed: client.passed,
  })
  const hooks = await openHooks(client, { settings, clock, log, metrics })
  const server = createServer({ ...settings, log, clock, stopping })
  const refusals = { getUpdates: () => updates.assertPolled() }
  addRoutes(server, makeHandlers({ client, updates, metrics, hooks: hooks.served }), { stopping, clock, refusals })
  if (reference) serveReference(server, reference)
  const port = await listen(server, settings.listen).catch(async (error: unknown) => {
    // Its timers would keep a process alive that has said why it cannot run.
    await hooks.stop()
    await updates.close()
    throw error
  })
  const url = listenUrl({ host: settings.listen.host, port })
  const operator = operatorCommands({ client, updates, settings, clock, url })
  const control = await ControlServer.listen(settings.dataDir, { commands: operator.commands, clock, log })
  const broken = new Wait<CodedError>()
  const forgetBroken = client.onConnectionChange(() => {
    if (isCoded(client.refusal, 'database-damaged')) broken.resolve(client.refusal)
  })
  client.start()
  hooks.start()
  log.info({ url, account: client.account, relay: client.relayUrl }, 'the gateway is listening')

  const stop = async () => {
    log.info({}, 'stopping')
    stopping.begin()
    // Long polls first: they hold requests open, and the server waits for every request.
    updates.release()
    await closeServer(server, { stopping, clock })
    await hooks.stop()
    await updates.close()
    forgetBroken()
    operator.stop()
    await control?.close()
    stopMetrics()
    await client.stop()
    log.info({}, 'stopped')
  }
  let stopped: Promise<void> | undefined
  return { url, port, client, broken: broken.over, stop: () => (stopped ??= stop()) }
}
