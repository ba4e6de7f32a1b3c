// The commands of the gateway's control socket: status, a test file, and holding the database for a copy.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { WebhookStatus } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import { accountFiles } from '@postern/core/node'
import { type Clock, CodedError, doctorLimits } from '@postern/protocol'
import { type ControlCommands, holdCommands } from '@postern/protocol/control'
import type { GatewaySettings } from './config.ts'
import type { Updates } from './updates/updates.ts'
import { VERSION } from './version.ts'

export type GatewayStatus = {
  version: string
  started: string
  /** The address of its API on this machine. */
  url: string
  /** The relay that it dials. */
  relay: string
  registered: boolean
  online: boolean
  /** Why the relay does not admit the bot, if a retry will not help. */
  refusal: string | null
  /** When another program last connected with the same keys, since the start. */
  replaced: string | null
  hooks: boolean
  webhook: WebhookStatus
}

export type OperatorContext = { client: Client; updates: Updates; settings: GatewaySettings; clock: Clock; url: string }

/** `stop` ends the watch of the connection. */
export function operatorCommands(operated: OperatorContext): { commands: ControlCommands; stop: () => void } {
  const { client, settings, clock } = operated
  const startedMs = clock.nowMs()
  let replacedMs: number | undefined
  const stop = client.onConnectionChange(() => {
    if (client.isReplaced) replacedMs = clock.nowMs()
  })
  const commands: ControlCommands = {
    status: async () => statusOf(operated, { startedMs, replacedMs }),
    'try-file': async (_, { signal }) => {
      if (!client.isOnline) throw new CodedError('relay-unreachable')
      await client.files.tryOut(someBytes(), signal)
      return { bytes: doctorLimits.fileBytes }
    },
    ...holdCommands({
      hold: async () => client.holdDatabase(),
      logPath: join(settings.dataDir, `${accountFiles.database}-wal`),
      clock,
    }),
  }
  return { commands, stop }
}

async function* someBytes(): AsyncGenerator<Uint8Array> {
  yield randomBytes(doctorLimits.fileBytes)
}

type Times = { startedMs: number; replacedMs: number | undefined }

const statusOf = (operated: OperatorContext, { startedMs, replacedMs }: Times): GatewayStatus => ({
  version: VERSION,
  started: isoTime(startedMs),
  url: operated.url,
  relay: operated.client.relayUrl,
  registered: operated.client.isRegistered,
  online: operated.client.isOnline,
  refusal: operated.client.refusal?.message ?? null,
  replaced: replacedMs === undefined ? null : isoTime(replacedMs),
  hooks: operated.settings.hooksUrl !== undefined,
  webhook: operated.updates.webhookStatus(),
})

const isoTime = (ms: number): string => new Date(ms).toISOString()
