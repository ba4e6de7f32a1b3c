// Incoming hooks as a whole: opened with the gateway, and put to rest when HOOKS_URL is not set.
import type { Client, Log } from '@postern/core'
import type { Clock } from '@postern/protocol'
import type { Command } from '@postern/protocol/content'
import type { GatewaySettings } from '../config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { UpdateDiscard } from '../queue/update-discard.ts'
import { DeclaredCommands } from './commands/declare-commands.ts'
import { AddressEraser } from './commands/erase-addresses.ts'
import { CommandReader, READER } from './commands/read-commands.ts'
import { HookCommands } from './commands/run-command.ts'
import { HookAdmin } from './hook-admin.ts'
import { Hooks } from './hooks.ts'
import { HookMemory } from './memory.ts'
import { HookReceiver } from './receive.ts'

const SHELF = 'hooks'

export type IncomingHooks = {
  /** Absent without HOOKS_URL. */
  served?: ServedHooks
  start(): void
  /** After the last request. */
  stop(): Promise<void>
}

export type ServedHooks = {
  admin: HookAdmin
  receiver: HookReceiver
  setCommands(commands: Command[]): Promise<void>
}

export type HooksSurroundings = {
  settings: Pick<GatewaySettings, 'hooksUrl' | 'botOwners'>
  clock: Clock
  log: Log
  metrics: Metrics
}

export async function openHooks(client: Client, surroundings: HooksSurroundings): Promise<IncomingHooks> {
  const { hooksUrl } = surroundings.settings
  return hooksUrl === undefined
    ? await restHooks(client, surroundings)
    : await serveHooks(client, { ...surroundings, hooksUrl })
}

/** The cursor of a time with hooks goes along: where it stands, the journal would grow for ever. */
async function restHooks(client: Client, { clock, log }: HooksSurroundings): Promise<IncomingHooks> {
  await new DeclaredCommands(client, client.records(SHELF)).withdraw()
  const discard =
    client.journal.readerState(READER) === undefined
      ? undefined
      : new UpdateDiscard(client.journal, { clock, log, reader: READER })
  const eraser = new AddressEraser({ client, records: client.records(SHELF), clock, log })
  return {
    start: () => eraser.start(),
    stop: async () => {
      await eraser.stop()
      await discard?.stop()
    },
  }
}

async function serveHooks(
  client: Client,
  { hooksUrl, settings, clock, log, metrics }: HooksSurroundings & { hooksUrl: string },
): Promise<IncomingHooks> {
  const records = client.records(SHELF)
  const hooks = new Hooks(records, { hooksUrl, clock })
  const memory = new HookMemory(records, client.passed)
  await memory.tidy(id => hooks.has(id))
  const admin = new HookAdmin(client, { hooks, memory })
  const receiver = new HookReceiver({ client, hooks, memory, clock, passed: client.passed, metrics, log })
  const commands = new HookCommands({ client, admin, records, owners: settings.botOwners, clock, log })
  const declared = new DeclaredCommands(client, records)
  await declared.declare()
  const eraser = new AddressEraser({ client, records, clock, log })
  const reader = await CommandReader.open({ client, commands, admin, records, eraser, clock, log })
  return {
    served: { admin, receiver, setCommands: wanted => declared.set(wanted) },
    start: () => {
      eraser.start()
      reader.start()
    },
    stop: async () => {
      await reader.stop()
      await eraser.stop()
      await receiver.stop()
    },
  }
}
