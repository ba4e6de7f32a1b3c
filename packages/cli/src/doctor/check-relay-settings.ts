// The relay's settings, as they would be at its next start: that it starts, and whom they let in and let see.
import { isPublic, type RelayConfig } from '@postern/relay'
import { type Finding, fail, ok, warn } from './finding.ts'

export const lookAtRelaySettings = (fault: string | undefined): Finding[] => [
  fault === undefined
    ? ok('settings', 'all of them can be used')
    : fail('settings', { text: fault, todo: 'put it right: no relay starts so' }),
]

/** `registration`: of the one that runs, which may have been told otherwise since. */
export function lookAtRegistration(config: RelayConfig, registration: string = config.registration): Finding[] {
  if (registration !== 'open') return [ok('register', `new accounts: ${registration}`)]
  if (!isPublic(config)) return [ok('register', 'new accounts: open, on this machine alone')]
  const text = 'who finds this relay may register and store files here'
  return [warn('register', { text, todo: 'use --registration invite, unless it is meant so' })]
}

export function lookAtMetrics({ metrics }: RelayConfig): Finding[] {
  if (!metrics) return []
  const { host = '' } = metrics
  if (host === '0.0.0.0' || host === '::') {
    const text = 'the metrics are on all addresses of the machine, without a password'
    return [warn('metrics', { text, todo: 'see that only your Prometheus reaches that port, or name one address' })]
  }
  if (isPrivate(host)) return [ok('metrics', `they are on ${host}, port ${metrics.port}`)]
  const text = `the metrics are on ${host}, which is a public address, without a password`
  return [fail('metrics', { text, todo: 'use --metrics with a loopback or private address' })]
}

/** Addresses that no router of the internet passes on. A name is whatever the operator has made of it. */
function isPrivate(host: string): boolean {
  if (
    /^(127|10)\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\.|^169\.254\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(host)
  )
    return true
  if (host.includes(':')) return host === '::1' || /^f[cd]|^fe[89ab]/i.test(host)
  return !/^\d+\.\d+\.\d+\.\d+$/.test(host)
}
