// The certificate of a server that answered: how long it is still valid.
import { type Clock, DAY_MS, doctorLimits } from '@postern/protocol'
import type { HttpAnswer } from './ask-http.ts'
import { type Diagnosis, ok, warn } from './finding.ts'

/** An expired certificate is reported by the check that could not connect. Nothing without TLS. */
export function checkCertificate(answer: HttpAnswer, { host, clock }: { host: string; clock: Clock }): Diagnosis[] {
  if (answer.kind === 'none' || answer.expiresMs === undefined) return []
  const leftMs = answer.expiresMs - clock.nowMs()
  const day = new Date(answer.expiresMs).toISOString().slice(0, 10)
  if (leftMs >= doctorLimits.certificateWarnMs) return [ok('tls', `the certificate of ${host} is valid until ${day}`)]
  const days = Math.max(0, Math.floor(leftMs / DAY_MS))
  const text = `the certificate of ${host} expires in ${days === 1 ? 'a day' : `${days} days`} (${day})`
  return [warn('tls', { text, todo: 'renew it, and find out why that did not happen automatically' })]
}
