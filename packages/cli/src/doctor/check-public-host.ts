// A public host of the relay as clients dial it, from the relay's own machine, which may reach itself less well than others do.
import type { Clock } from '@postern/protocol'
import { dialRelay } from './dial-relay.ts'
import { type Diagnosis, fail, ok, warn } from './finding.ts'

export async function checkPublicHost(host: string, clock: Clock): Promise<Diagnosis[]> {
  const [closed, plain] = await Promise.all([dialRelay(`https://${host}`, clock), dialRelay(`http://${host}`, clock)])
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
  return [closed.kind === 'relay' ? ok('host', `clients can connect to https://${host}`) : plainFinding(host)]
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/

function plainFinding(host: string): Diagnosis {
  if (loopback.test(host)) return ok('host', `clients can connect to http://${host}`)
  const text = `clients can connect to http://${host}, without encryption: the network can see who talks to whom`
  return warn('host', { text, todo: 'put a proxy with TLS in front of the relay' })
}
