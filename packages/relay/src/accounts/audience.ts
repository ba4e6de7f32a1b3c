// The hosts that clients use to reach this relay. A login proof made for another host was forwarded by a third party.
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

  /** Without configured hosts, the relay uses those of the address on which it listens. */
  listensOn(port: number): void {
    if (this.#hosts.size > 0) return
    const { host = '' } = this.#listen
    const own = host.includes(':') ? `[${host}]` : host
    this.#hosts = new Set([own, ...(isLoopback(host) ? LOOPBACK_HOSTS : [])].map(name => hostIn(`${name}:${port}`)))
  }

  get hosts(): ReadonlySet<string> {
    return this.#hosts
  }

  /** The request's Host header does not count: an attacker who forwards a proof chooses that header. */
  accepts(audience: string): boolean {
    return this.#hosts.has(audience)
  }
}

/** Throws `bad-field` if no public host is configured and the listen address does not imply one. */
export function publicHostsIn(listen: ListenAddress, publicHosts: readonly string[]): ReadonlySet<string> {
  if (publicHosts.length === 0 && isEverywhere(listen))
    throw wrong(
      'must name the host that clients connect to, as in --public-host relay.example. For clients on this machine only, use --listen 127.0.0.1:8090',
    )
  return new Set(publicHosts.map(hostIn))
}

/** The relay is reachable only from this machine: it listens on loopback, and no proxy forwards others to it. */
export const isForThisMachine = (listen: ListenAddress, publicHosts: readonly string[]): boolean =>
  isLoopback(listen.host ?? '') && publicHosts.map(hostIn).every(host => isLoopback(withoutPort(host)))

const withoutPort = (host: string): string => host.replace(/:\d+$/, '')

const isEverywhere = ({ host }: ListenAddress): boolean => host === undefined || host === '0.0.0.0' || host === '::'
const isLoopback = (host: string): boolean =>
  ['localhost', '::1', '[::1]'].includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host)

/** The host as in the address that a client dials: lower case, without the default port of the scheme. */
function hostIn(text: string): string {
  const url = `${text.endsWith(':443') ? 'https' : 'http'}://${text}`
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || /[/\\@?#\s]/.test(text))
    throw wrong(`${JSON.stringify(text)} is not a host. Use one like relay.example or relay.example:8443`)
  return parsed.host
}
