// Where a server listens, as operators write it: `:8080`, `127.0.0.1:8080`, `[::1]:8080`.

/** Without a host: on all addresses of the machine. */
export type ListenAddress = { host: string | undefined; port: number }

const FORM = /^(?:\[([0-9A-Fa-f:.]+(?:%[^\]]+)?)\]|([^:[\]\s/]*)):(\d{1,5})$/

/** Undefined when the text has none of the three forms. Port 0 is a free port of the system's choice. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, ipv6, host, digits] = FORM.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535) return undefined
  return { host: ipv6 ?? (host === '' ? undefined : host), port }
}

/** An address under which this machine reaches what listens there. */
export function listenUrl({ host, port }: ListenAddress): string {
  if (host === undefined || host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`
  return host.includes(':') ? `http://[${host}]:${port}` : `http://${host}:${port}`
}

/** In words for an operator. */
export const listenPlace = ({ host, port }: ListenAddress): string =>
  host === undefined ? `port ${port}` : `port ${port} of ${host}`
