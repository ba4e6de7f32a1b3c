// Starts incoming hooks with the gateway, and keeps them idle when HOOKS_URL is not set.
import type { Client } from '@postern/core'
import { UpdateDiscard } from '../queue/update-discard.ts'
import { DeclaredCommands } from './commands/declare-commands.ts'
import { AddressEraser } from './commands/erase-addresses.ts'
import type { HooksContext } from './hooks-context.ts'
import type { ServedHooks } from './serve-hooks.ts'
import { READER, SHELF } from './stored-names.ts'

export type IncomingHooks = {
  /** Absent without HOOKS_URL. */
  served?: ServedHooks
  start(): void
  /** Call it after the last request. */
  stop(): Promise<void>
}

export async function openHooks(client: Client, surroundings: HooksContext): Promise<IncomingHooks> {
  const { hooksUrl } = surroundings.settings
  if (hooksUrl === undefined) return await restHooks(client, surroundings)
  // Unused parts are not loaded: they would cost every other gateway start time and memory.
  const { serveHooks } = await import('./serve-hooks.ts')
  const served = await serveHooks(client, { ...surroundings, hooksUrl })
  return { served, start: () => served.start(), stop: () => served.stop() }
}

/** The cursor from an earlier run with hooks moves along: if it stayed, the journal would grow forever. */
async function restHooks(client: Client, { clock, log }: HooksContext): Promise<IncomingHooks> {
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
