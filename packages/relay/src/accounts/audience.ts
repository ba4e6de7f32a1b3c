// The hosts by which clients know this relay. A login proof that was made for another host is somebody passing it on.
import { CodedError, type ListenAddress } from '@postern/protocol'

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]']

const wrong = (rule: string): CodedError => new CodedError('bad-field', { field: '--public-host', rule })

export class Audience {
  readonly #listen: ListenAddress
  #hosts: ReadonlySet<string>

  /** Throws `bad-field`, as `publicHostsIn` does. */
  constructor(listen: ListenAddress, publicHosts: readonly string[]) {
    this.#listen = listen
    this.#hosts = publicHostsIn(listen, publicHosts)
  }

  /** Without hosts that were set, the relay has those of the address on which it listens. */
  listensOn(port: number): void {
    if (this.#hosts.size > 0) return
    const { host = '' } = this.#listen
    const own = host.includes(':') ? `[${host}]` : host
    this.#hosts = new Set([own, ...(isLoopback(host) ? LOOPBACK_HOSTS : [])].map(name => hostIn(`${name}:${port}`)))
  }

  get hosts(): ReadonlySet<string> {
    return this.#hosts
  }

  /** The request's Host header has no say: whoever passes a proof on chooses it. */
  accepts(audience: string): boolean {
    return this.#hosts.has(audience)
  }
}

/** Throws `bad-field` when nobody has said by which host clients come, and it cannot be told from the address either. */
export function publicHostsIn(listen: ListenAddress, publicHosts: readonly string[]): ReadonlySet<string> {
  if (publicHosts.length === 0 && isEverywhere(listen))
    throw wrong(
      'must name the host that clients connect to, as in --public-host relay.example. For clients on this machine only, use --listen 127.0.0.1:8090',
    )
  return new Set(publicHosts.map(hostIn))
}

/** Nobody beyond this machine reaches it: it listens on loopback, and no proxy passes others on to it. */
export const isForThisMachine = (listen: ListenAddress, publicHosts: readonly string[]): boolean =>
  isLoopback(listen.host ?? '') && publicHosts.map(hostIn).every(host => isLoopback(withoutPort(host)))

const withoutPort = (host: string): string => host.replace(/:\d+$/, '')

const isEverywhere = ({ host }: ListenAddress): boolean => host === undefined || host === '0.0.0.0' || host === '::'
const isLoopback = (host: string): boolean =>
  ['localhost', '::1', '[::1]'].includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host)

/** As it stands in the address that a client dials: in small letters, and without the port that its scheme has anyway. */
function hostIn(text: string): string {
  const url = `${text.endsWith(':443') ? 'https' : 'http'}://${text}`
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || /[/\\@?#\s]/.test(text))
    throw wrong(`${JSON.stringify(text)} is not a host. Use one like relay.example or relay.example:8443`)
  return parsed.host
}
