// Logs a warning at the start for each setting that is valid but unsafe.
import type { Log } from '@postern/core'
import { gatewayLimits, plainRelayWarning } from '@postern/protocol'
import type { GatewaySettings } from '../config.ts'

export function warnOfSettings(
  { botToken, metricsToken }: GatewaySettings,
  { relayUrl, log }: { relayUrl: string; log: Log },
): void {
  warnOfToken('BOT_TOKEN', { token: botToken, log })
  if (metricsToken !== undefined) warnOfToken('METRICS_TOKEN', { token: metricsToken, log })
  const warning = plainRelayWarning(relayUrl)
  if (warning) log.warn({ setting: 'RELAY_URL' }, warning)
}

function warnOfToken(setting: string, { token, log }: { token: string; log: Log }): void {
  const min = gatewayLimits.botTokenCharsAdvised
  if (token.length < min)
    log.warn({ setting, charsAdvised: min }, 'token is short and could be guessed; choose a long random one')
}
