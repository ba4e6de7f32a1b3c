// Puts the parts of living messages together, and starts and stops them with the hooks.
import type { Client } from '@postern/core'
import type { Clock, Log } from '@postern/protocol'
import type { GatewaySettings } from '../../config.ts'
import type { Hooks, StoredHook } from '../hooks.ts'
import type { HookMemory } from '../memory.ts'
import { LIVING_SHELF } from '../stored-names.ts'
import { Strangers } from '../strangers.ts'
import { wordsIn } from '../words/words.ts'
import { PressAction } from './act-on-press.ts'
import { Alertmanager } from './alertmanager.ts'
import { LivingStore } from './living-store.ts'
import { MessageBoard } from './message-board.ts'
import { PressReader } from './read-presses.ts'
import { LivingPosts } from './receive-living.ts'
import type { ShowContext } from './show-alerts.ts'
import { Silences } from './silences.ts'
import { SilenceWatch } from './watch-silenced.ts'

export type LivingOptions = {
  settings: Pick<GatewaySettings, 'botOwners' | 'language' | 'alertmanager'>
  hooks: Hooks
  memory: HookMemory
  clock: Clock
  log: Log
}

export type LivingMessages = { posts: LivingPosts; store: LivingStore; start(): void; stop(): Promise<void> }

const usualSilences = ['1h', '24h']

export async function openLiving(client: Client, options: LivingOptions): Promise<LivingMessages> {
  const { settings, hooks, memory, clock, log } = options
  const { botOwners: owners, language, alertmanager } = settings
  const store = new LivingStore(client.records(LIVING_SHELF), client.elapsed)
  await store.tidy(id => hooks.has(id))
  const hookOf = (id: string) => hooks.get(id)
  const showing = (hook: StoredHook): ShowContext => {
    const silences = alertmanager && hook.format === 'alerts' ? (hook.options?.silence ?? usualSilences) : []
    return { words: wordsIn[hook.lang ?? language], nowMs: clock.nowMs(), silences }
  }
  const shared = { client, store, hookOf, showing, clock, log }
  const board = new MessageBoard(shared)
  const manager = alertmanager && new Alertmanager(alertmanager, clock)
  const silences = manager && new Silences({ client, store, manager, clock })
  const watch = manager && silences && new SilenceWatch({ ...shared, board, manager, silences })
  const action = new PressAction({ ...shared, board, silences, owners, strangers: new Strangers(clock) })
  const presses = await PressReader.open({ ...shared, action })
  return {
    posts: new LivingPosts({ ...shared, board, memory, language }),
    store,
    start: () => {
      board.start()
      presses.start()
      watch?.start()
    },
    stop: async () => {
      // First: a press that waits for an Alertmanager would hold the stop.
      manager?.close()
      await presses.stop()
      await watch?.stop()
      await board.stop()
    },
  }
}
