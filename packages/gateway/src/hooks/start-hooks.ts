// Starts incoming hooks with the gateway, and keeps them idle when HOOKS_URL is not set.
import type { Client } from '@postern/core'
import { UpdateDiscard } from '../queue/update-discard.ts'
import { DeclaredCommands } from './commands/declare-commands.ts'
import { AddressEraser } from './commands/erase-addresses.ts'
import type { HooksContext } from './hooks-context.ts'
import type { ServedHooks } from './serve-hooks.ts'
import { LIVING_READER, READER, SHELF } from './stored-names.ts'
import { wordsIn } from './words/words.ts'

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

/** The cursors from an earlier run with hooks move along: if they stayed, the journal would grow forever. */
async function restHooks(client: Client, { settings, clock, log }: HooksContext): Promise<IncomingHooks> {
  await new DeclaredCommands(client, client.records(SHELF), wordsIn[settings.language]).withdraw()
  const discards = [READER, LIVING_READER]
    .filter(reader => client.journal.readerState(reader) !== undefined)
    .map(reader => new UpdateDiscard(client.journal, { clock, log, reader }))
  const eraser = new AddressEraser({ client, records: client.records(SHELF), clock, log })
  return {
    start: () => eraser.start(),
    stop: async () => {
      await eraser.stop()
      for (const discard of discards) await discard.stop()
    },
  }
}
