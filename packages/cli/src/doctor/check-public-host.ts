// A public host of the relay as clients dial it, from the relay's own machine, which may reach itself less well than others do.
import type { Clock } from '@postern/protocol'
import { askHttp } from './ask-http.ts'
import { checkCertificate } from './check-certificate.ts'
import { dialRelay } from './dial-relay.ts'
import { type Diagnosis, fail, ok, warn } from './finding.ts'
import type { NetworkFault } from './network-faults.ts'

export async function checkPublicHost(host: string, clock: Clock): Promise<Diagnosis[]> {
  const url = `https://${host}`
  const [health, closed, plain] = await Promise.all([
    askHttp({ url, path: '/healthz', method: 'GET' }, clock),
    dialRelay(url, clock),
    dialRelay(`http://${host}`, clock),
  ])
  if (health.kind === 'none' && health.todo !== undefined) return [certificateFault(host, health)]
  const dialled = closed.kind === 'relay' ? closed : plain
  if (dialled.kind === 'silent' && dialled.http === undefined) {
    const text = `${host} does not answer from here: ${closed.kind === 'silent' ? closed.why : dialled.why}`
    return [warn('host', { text, todo: 'try from another machine, and check the host name and the proxy' })]
  }
  if (dialled.kind !== 'relay')
    return [
      fail('host', { text: `the server at ${host} is not this relay`, todo: 'check the host name and the proxy' }),
    ]
  if (dialled.host.kind !== 'accepted') {
    const text = `the relay at ${host} rejects clients that use this host`
    return [
      fail('host', { text, todo: 'restart the relay to apply --public-host, or check where the host name points' }),
    ]
  }
  return [
    closed.kind === 'relay' ? ok('host', `clients can connect to ${url}`) : plainFinding(host),
    ...checkCertificate(health, { host, clock }),
  ]
}

/** Clients may know an authority that this machine does not; an expired certificate helps nobody. */
function certificateFault(host: string, { why, todo = '' }: NetworkFault): Diagnosis {
  const said = { text: `${host} cannot be reached: ${why}`, todo }
  return why.includes('authority') ? warn('host', said) : fail('host', said)
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/

function plainFinding(host: string): Diagnosis {
  if (loopback.test(host)) return ok('host', `clients can connect to http://${host}`)
  const text = `clients can connect to http://${host}, without encryption: the network can see who talks to whom`
  return warn('host', { text, todo: 'put a proxy with TLS in front of the relay' })
}
