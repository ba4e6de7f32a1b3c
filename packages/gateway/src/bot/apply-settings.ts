// Applies the settings to the bot: its identity at the first start, and changes at later ones.
import type { Client } from '@postern/core'
import { type GatewaySettings, settingFault } from '../config.ts'
import type { OperatorState } from '../queue/operator-state.ts'
import { applyAvatarFile } from './set-avatar.ts'

export function firstStart({ relayUrl, botName }: GatewaySettings): { relayUrl: string; name: string; bot: true } {
  if (relayUrl === undefined) throw settingFault('RELAY_URL', 'is required at the first start')
  if (botName === undefined) throw settingFault('BOT_NAME', 'is required at the first start')
  return { relayUrl, name: botName, bot: true }
}

export type SettingsContext = { settings: GatewaySettings; state: OperatorState }

export async function applySettings(client: Client, { settings, state }: SettingsContext): Promise<void> {
  const { botName, botAvatar } = settings
  if (botName !== undefined && botName !== client.identity.me().name)
    await client.identity.setProfile({ name: botName })
  if (botAvatar !== undefined) await applyAvatarFile(client, botAvatar, state)
}
