// Settings that work and are not safe: one line each at the start.
import type { Log } from '@postern/core'
import { gatewayLimits, plainRelayWarning } from '@postern/protocol'
import type { GatewaySettings } from '../config.ts'

export function warnOfSettings({ botToken }: GatewaySettings, { relayUrl, log }: { relayUrl: string; log: Log }): void {
  const min = gatewayLimits.botTokenCharsAdvised
  if (botToken.length < min)
    log.warn(
      { setting: 'BOT_TOKEN' },
      `BOT_TOKEN has fewer than ${min} characters, and who reaches the API could guess it: choose a long random one`,
    )
  const warning = plainRelayWarning(relayUrl)
  if (warning) log.warn({ setting: 'RELAY_URL' }, warning)
}
