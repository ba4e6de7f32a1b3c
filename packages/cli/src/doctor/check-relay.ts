// The relay as this machine reaches it: by HTTP and WebSocket, by the host in its address, and its clock.
import { type Clock, doctorLimits, MINUTE_MS } from '@postern/protocol'
import { REGISTRATION_HEADER } from '@postern/protocol/relay'
import { askHttp, type HttpAnswer } from './ask-http.ts'
import { checkCertificate } from './check-certificate.ts'
import { type DialResult, dialRelay, type HostVerdict } from './dial-relay.ts'
import { type Diagnosis, fail, ok, quoted, warn } from './finding.ts'

type RelayCase = {
  relayUrl: string
  clock: Clock
  /** The bot has no account there yet. `hasInvite`: RELAY_INVITE is set. */
  newcomer: { hasInvite: boolean } | undefined
}

export async function checkRelay({ relayUrl, clock, newcomer }: RelayCase): Promise<Diagnosis[]> {
  const origin = new URL(relayUrl.replace(/^ws/, 'http')).origin
  // First, because it reveals more about a wrong name, certificate or proxy.
  const health = await askHttp({ url: origin, path: '/healthz', method: 'GET' }, clock)
  if (health.kind === 'none') {
    const todo = 'check that the relay is running, and that RELAY_URL, the host name and the proxy point to it'
    return [fail('relay', { text: `${origin} cannot be reached: ${health.why}`, todo: health.todo ?? todo })]
  }
  const found = findingsOf(await dialRelay(relayUrl, clock), { origin, httpStatus: health.status })
  const { host } = new URL(origin)
  return [...found, ...checkCertificate(health, { host, clock }), ...(newcomer ? admission(health, newcomer) : [])]
}

/** The relay says by a header of its health whom it registers: trying would leave an account there. */
function admission({ headers }: Extract<HttpAnswer, { kind: 'answer' }>, { hasInvite }: { hasInvite: boolean }) {
  const registration = headers[REGISTRATION_HEADER]
  if (registration === 'closed') {
    const todo = 'ask the operator of the relay to open registration, or use another relay'
    return [fail('register', { text: 'the relay registers no new accounts, and the bot has none there yet', todo })]
  }
  if (registration !== 'invite' || hasInvite) return []
  const text = 'the relay registers new accounts by invite only, and RELAY_INVITE is not set'
  const todo = 'ask the operator of the relay for a code (postern relay invite), and set RELAY_INVITE to it'
  return [fail('register', { text, todo })]
}

type Place = { origin: string; httpStatus: number }

function findingsOf(dialled: DialResult, place: Place): Diagnosis[] {
  const { origin } = place
  switch (dialled.kind) {
    case 'silent':
      return [noSocket(dialled, place)]
    case 'no-relay': {
      const todo = 'use the address of the relay, without a path'
      return [fail('relay', { text: `the server at ${origin} is not a relay`, todo })]
    }
    case 'other-version': {
      const todo = 'use versions of relay and gateway that are next to each other'
      return [
        fail('relay', { text: `the relay at ${origin} has an incompatible version (${quoted(dialled.why)})`, todo }),
      ]
    }
    case 'relay':
      return [
        ok('relay', `${origin} answers within ${dialled.tookMs} ms`),
        hostFinding(dialled.host, origin),
        clockFinding(dialled.aheadMs),
      ]
  }
}

const OK = 200

function noSocket({ why, http }: Extract<DialResult, { kind: 'silent' }>, { origin, httpStatus }: Place): Diagnosis {
  if (httpStatus !== OK) {
    const text = `${origin} answers ${httpStatus}, but a relay answers 200`
    return fail('relay', {
      text,
      todo: 'check that the host name and the proxy point to the relay, and that it is running',
    })
  }
  const text = `${origin} does not accept a WebSocket at /relay/v1: ${quoted(why)}`
  const todo =
    http === undefined
      ? 'check the relay, and the proxy in front of it'
      : 'configure the proxy to pass WebSockets (Upgrade)'
  return fail('relay', { text, todo })
}

function hostFinding(host: HostVerdict, origin: string): Diagnosis {
  const name = new URL(origin).host
  switch (host.kind) {
    case 'accepted':
      return ok('host', `the relay accepts clients that use ${name}`)
    case 'refused': {
      const text = `${name} is not a public host of the relay, so it rejects clients that use it`
      return fail('host', { text, todo: `start the relay with --public-host ${name}, or use one of its public hosts` })
    }
    case 'unclear': {
      const text = `whether the relay accepts clients that use ${name} is unknown: ${quoted(host.why)}`
      return warn('host', { text, todo: 'run the doctor again later' })
    }
  }
}

/** Which of the two is wrong cannot be known here. */
function clockFinding(aheadMs: number): Diagnosis {
  const apartMs = Math.abs(aheadMs)
  if (apartMs < doctorLimits.clockWarnMs)
    return ok('clock', `differs from the relay's by ${(apartMs / 1000).toFixed(1)} s`)
  const text = `the clock here is ${spanText(apartMs)} ${aheadMs > 0 ? 'behind' : 'ahead of'} the relay's`
  const said = { text, todo: 'synchronize both clocks with NTP' }
  return apartMs >= doctorLimits.clockFailMs ? fail('clock', said) : warn('clock', said)
}

const spanText = (ms: number): string =>
  ms < 2 * MINUTE_MS ? `${Math.round(ms / 1000)} seconds` : `${Math.round(ms / MINUTE_MS)} minutes`
