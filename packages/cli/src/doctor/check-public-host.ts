// A public host of the relay as clients dial it, from the relay's own machine: which may see less of itself than others do.
import type { Clock } from '@postern/protocol'
import { dialRelay } from './dial-relay.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

export async function lookAtPublicHost(host: string, clock: Clock): Promise<Finding[]> {
  const [closed, plain] = await Promise.all([dialRelay(`https://${host}`, clock), dialRelay(`http://${host}`, clock)])
  const dialled = closed.kind === 'relay' ? closed : plain
  if (dialled.kind === 'silent' && dialled.http === undefined) {
    const text = `nobody answers at ${host} from here: ${closed.kind === 'silent' ? closed.why : dialled.why}`
    return [warn('host', { text, todo: 'see from another machine, and see the name and the proxy' })]
  }
  if (dialled.kind !== 'relay')
    return [fail('host', { text: `what answers at ${host} is not this relay`, todo: 'see the name and the proxy' })]
  if (dialled.host.kind !== 'accepted') {
    const text = `what answers at ${host} lets nobody in who dials that`
    return [fail('host', { text, todo: 'restart the relay for --public-host, or see where the name leads' })]
  }
  return [closed.kind === 'relay' ? ok('host', `clients come in by https://${host}`) : plainFinding(host)]
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/

function plainFinding(host: string): Finding {
  if (loopback.test(host)) return ok('host', `clients come in by http://${host}`)
  const text = `clients come in by http://${host}, where everybody on the way sees who talks to whom`
  return warn('host', { text, todo: 'put a proxy with TLS before the relay' })
}
