// What the settings say about the bot: who it becomes at the first start, and what changes at a later one.
import type { Client, Log } from '@postern/core'
import { type GatewaySettings, settingFault } from '../config.ts'
import type { OperatorState } from '../updates/operator-state.ts'
import { applyAvatarFile } from './set-avatar.ts'

export function firstStart({ relayUrl, botName }: GatewaySettings): { relayUrl: string; name: string; bot: true } {
  if (relayUrl === undefined) throw settingFault('RELAY_URL', 'it is required at the first start')
  if (botName === undefined) throw settingFault('BOT_NAME', 'it is required at the first start')
  return { relayUrl, name: botName, bot: true }
}

export type Applying = { settings: GatewaySettings; state: OperatorState; log: Log }

export async function applySettings(client: Client, { settings, state, log }: Applying): Promise<void> {
  const { botName, botAvatar, relayUrl } = settings
  if (botName !== undefined && botName !== client.me().name) await client.setProfile({ name: botName })
  if (botAvatar !== undefined) await applyAvatarFile(client, botAvatar, state)
  if (relayUrl !== undefined && !isSameOrigin(relayUrl, client.relayUrl))
    log.warn({ setting: 'RELAY_URL', registeredAt: client.relayUrl }, 'the bot stays on the relay of its first start')
}

/** ws and http are one address, and so are wss and https. */
const isSameOrigin = (a: string, b: string): boolean => httpOrigin(a) === httpOrigin(b)

const httpOrigin = (url: string): string => new URL(url.replace(/^ws/, 'http')).origin
