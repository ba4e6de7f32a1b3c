// Serves hooks: receives posts, reads commands and erases addresses. Loaded only when HOOKS_URL is set.
import type { Client } from '@postern/core'
import type { Command } from '@postern/protocol/content'
import { DeclaredCommands } from './commands/declare-commands.ts'
import { AddressEraser } from './commands/erase-addresses.ts'
import { CommandReader } from './commands/read-commands.ts'
import { HookCommands } from './commands/run-command.ts'
import { HookAdmin } from './hook-admin.ts'
import { Hooks } from './hooks.ts'
import type { HooksContext } from './hooks-context.ts'
import { LastResults } from './last-results.ts'
import { openLiving } from './living/open-living.ts'
import { HookMemory } from './memory.ts'
import { HookReceiver } from './receive.ts'
import { SHELF } from './stored-names.ts'
import { wordsIn } from './words/words.ts'

export type ServedHooks = {
  admin: HookAdmin
  receiver: HookReceiver
  setCommands(commands: Command[]): Promise<void>
  start(): void
  /** Call it after the last request. */
  stop(): Promise<void>
}

export async function serveHooks(
  client: Client,
  { hooksUrl, settings, clock, log, metrics }: HooksContext & { hooksUrl: string },
): Promise<ServedHooks> {
  const records = client.records(SHELF)
  const { botOwners: owners, language } = settings
  const words = wordsIn[language]
  const hooks = new Hooks(records, { hooksUrl, clock })
  const memory = new HookMemory(records, client.elapsed)
  await memory.tidy(id => hooks.has(id))
  const last = new LastResults(records, { clock, elapsed: client.elapsed })
  await last.tidy(id => hooks.has(id))
  const living = await openLiving(client, { settings, hooks, memory, clock, log })
  const admin = new HookAdmin(client, { hooks, memory, last, living: living.store })
  const receiver = new HookReceiver({
    client,
    hooks,
    last,
    memory,
    living: living.posts,
    language,
    clock,
    elapsed: client.elapsed,
    metrics,
    log,
  })
  const commands = new HookCommands({ client, admin, records, owners, words: words.answers, clock, log })
  const declared = new DeclaredCommands(client, records, words)
  await declared.declare()
  const eraser = new AddressEraser({ client, records, clock, log })
  const reader = await CommandReader.open({
    client,
    commands,
    admin,
    records,
    eraser,
    words: words.answers,
    clock,
    log,
  })
  return {
    admin,
    receiver,
    setCommands: wanted => declared.set(wanted),
    start: () => {
      eraser.start()
      reader.start()
      living.start()
    },
    stop: async () => {
      await reader.stop()
      await eraser.stop()
      await living.stop()
      await receiver.stop()
    },
  }
}
