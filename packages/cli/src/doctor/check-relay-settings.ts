// The relay's settings for its next start: whether it starts, whom it admits, and what others can see.
import { isPublic, type RelayConfig } from '@postern/relay'
import { type Diagnosis, fail, ok, warn } from './finding.ts'

export const checkRelaySettings = (fault: string | undefined): Diagnosis[] => [
  fault === undefined
    ? ok('settings', 'all settings are valid')
    : fail('settings', { text: fault, todo: 'correct the setting: a relay does not start with it' }),
]

/** `registration`: that of the running relay, which may have been changed since its start. */
export function checkRegistration(config: RelayConfig, registration: string = config.registration): Diagnosis[] {
  if (registration !== 'open') return [ok('register', `new accounts: ${registration}`)]
  if (!isPublic(config)) return [ok('register', 'new accounts: open, for this machine only')]
  const text = 'anyone who can reach this relay can register and store files'
  return [warn('register', { text, todo: 'use --registration invite, unless this is intended' })]
}

export function checkMetrics({ metrics }: RelayConfig): Diagnosis[] {
  if (!metrics) return []
  const { host = '' } = metrics
  if (host === '0.0.0.0' || host === '::') {
    const text = 'the metrics are public on all addresses of this machine, without a password'
    return [
      warn('metrics', { text, todo: 'make sure that only your Prometheus can reach that port, or use one address' }),
    ]
  }
  if (isPrivate(host)) return [ok('metrics', `the metrics are on ${host}, port ${metrics.port}`)]
  const text = `the metrics are on ${host}, which is a public address, without a password`
  return [fail('metrics', { text, todo: 'use --metrics with a loopback or private address' })]
}

/** Addresses that no internet router forwards. A name may be anything. */
function isPrivate(host: string): boolean {
  if (
    /^(127|10)\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\.|^169\.254\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(host)
  )
    return true
  if (host.includes(':')) return host === '::1' || /^f[cd]|^fe[89ab]/i.test(host)
  return !/^\d+\.\d+\.\d+\.\d+$/.test(host)
}
