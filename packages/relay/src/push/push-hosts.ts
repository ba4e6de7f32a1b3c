// Where the relay pushes to: an endpoint is a stranger's word, and must not lead into the operator's network.

/** The push services of browsers: each host, and all below it. */
const SERVICES = [
  'google.com',
  'googleapis.com',
  'mozilla.com',
  'mozaws.net',
  'windows.com',
  'microsoft.com',
  'apple.com',
]

/** The rule that a host of the operator breaks. */
export function hostRefusal(text: string): string | undefined {
  const isPlain = text.startsWith('http://')
  const url = URL.parse(isPlain ? text : `https://${text}`)
  const isSame = url && (isPlain ? url.origin : url.host) === text
  if (!url || !isSame || !/^[a-z0-9.-]+$|^\[[0-9a-f:]+\]$/.test(url.hostname))
    return 'is not a host like push.example.org, push.example.org:8443 or http://127.0.0.1:8080'
  const isHere = /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(url.hostname)
  return isPlain && !isHere
    ? 'must be https, which needs no http:// in front of it: only this machine may be asked by http'
    : undefined
}

export class PushHosts {
  /** Hosts that the operator added: they may also have addresses of the inside. */
  readonly #listed: ReadonlySet<string>
  /** Origins of the operator on this machine, for which plain http is allowed. */
  readonly #origins: ReadonlySet<string>

  /** `added`: a host, a host with a port, or http://127.0.0.1:PORT. */
  constructor(added: readonly string[] = []) {
    this.#origins = new Set(added.filter(each => each.startsWith('http://')))
    this.#listed = new Set(added.filter(each => !each.startsWith('http://')))
  }

  /** The rule that the endpoint breaks; undefined if it breaks none. */
  refusalOf(endpoint: string): string | undefined {
    const url = URL.parse(endpoint)
    if (!url) return 'it is not a URL'
    if (url.username !== '' || url.password !== '') return 'it must not contain a user or a password'
    if (this.#origins.has(url.origin)) return undefined
    if (url.protocol !== 'https:') return 'it must begin with https://'
    if (this.isListed(url)) return undefined
    if (url.port !== '') return 'its port must be 443'
    if (SERVICES.some(service => url.hostname === service || url.hostname.endsWith(`.${service}`))) return undefined
    return 'its host is not one of the push services that the operator of the relay allows'
  }

  /** A name for metrics and logs: there are as many as the operator has allowed. */
  serviceOf(url: URL): string {
    const service = SERVICES.find(each => url.hostname === each || url.hostname.endsWith(`.${each}`))
    return service ?? (this.isListed(url) ? url.host : 'other')
  }

  /** The operator named the host: addresses of the inside are then intended. */
  isListed(url: URL): boolean {
    return this.#listed.has(url.host) || this.#origins.has(url.origin)
  }
}
