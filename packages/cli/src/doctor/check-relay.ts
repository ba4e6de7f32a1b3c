// The relay as this machine reaches it: by HTTP and WebSocket, by the host in its address, and what its clock says.
import { type Clock, doctorLimits, MINUTE_MS } from '@postern/protocol'
import { askHttp } from './ask-http.ts'
import { type Dialled, dialRelay, type HostVerdict } from './dial-relay.ts'
import { type Finding, fail, ok, quoted, warn } from './finding.ts'

export async function lookAtRelay(relayUrl: string, clock: Clock): Promise<Finding[]> {
  const origin = new URL(relayUrl.replace(/^ws/, 'http')).origin
  // First, as it says more of what is wrong with a name, a certificate or a proxy.
  const health = await askHttp({ url: origin, path: '/healthz', method: 'GET' }, clock)
  if (health.kind === 'none') {
    const todo = 'see that it runs, and that RELAY_URL, the name and the proxy lead to it'
    return [fail('relay', { text: `${origin} cannot be reached: ${health.why}`, todo })]
  }
  return findingsOf(await dialRelay(relayUrl, clock), { origin, httpStatus: health.status })
}

type Place = { origin: string; httpStatus: number }

function findingsOf(dialled: Dialled, place: Place): Finding[] {
  const { origin } = place
  switch (dialled.kind) {
    case 'silent':
      return [noSocket(dialled, place)]
    case 'no-relay': {
      const todo = 'name the address of the relay, without a path'
      return [fail('relay', { text: `what answers at ${origin} is no relay`, todo })]
    }
    case 'other-version': {
      const todo = 'use versions of relay and gateway that stand beside each other'
      return [fail('relay', { text: `the relay at ${origin} is of another version (${quoted(dialled.why)})`, todo })]
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

function noSocket({ why, http }: Extract<Dialled, { kind: 'silent' }>, { origin, httpStatus }: Place): Finding {
  if (httpStatus !== OK) {
    const text = `${origin} answers ${httpStatus} where a relay answers 200`
    return fail('relay', { text, todo: 'see that the name and the proxy lead to the relay, and that it runs' })
  }
  const text = `${origin} takes no WebSocket at /relay/v1: ${quoted(why)}`
  const todo = http === undefined ? 'see the relay, and the proxy before it' : 'let the proxy pass WebSockets (Upgrade)'
  return fail('relay', { text, todo })
}

function hostFinding(host: HostVerdict, origin: string): Finding {
  const name = new URL(origin).host
  switch (host.kind) {
    case 'accepted':
      return ok('host', `the relay lets in who dials ${name}`)
    case 'refused': {
      const text = `the relay does not know itself as ${name}, and lets nobody in who dials that`
      return fail('host', { text, todo: `start the relay with --public-host ${name}, or dial a host that it has` })
    }
    case 'unclear': {
      const text = `whether the relay lets in who dials ${name} is not clear: ${quoted(host.why)}`
      return warn('host', { text, todo: 'look again later' })
    }
  }
}

/** Which of the two is wrong nobody can tell from here. */
function clockFinding(aheadMs: number): Finding {
  const apartMs = Math.abs(aheadMs)
  if (apartMs < doctorLimits.clockWarnMs) return ok('clock', `${(apartMs / 1000).toFixed(1)} s apart from the relay's`)
  const text = `the clock here is ${spanText(apartMs)} ${aheadMs > 0 ? 'behind' : 'ahead of'} the relay's`
  const said = { text, todo: 'set the one that is wrong, by NTP' }
  return apartMs >= doctorLimits.clockFailMs ? fail('clock', said) : warn('clock', said)
}

const spanText = (ms: number): string =>
  ms < 2 * MINUTE_MS ? `${Math.round(ms / 1000)} seconds` : `${Math.round(ms / MINUTE_MS)} minutes`
