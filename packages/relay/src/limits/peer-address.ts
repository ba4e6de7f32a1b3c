// The key by which a peer is counted: one IPv4 address, or the 64-bit prefix that one household or server has in IPv6.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** Proxies in front of the relay. Each appends the address of its own peer to this header. */
export type TrustedProxies = { header: string; count: number }

const IPV4_IN_IPV6 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

export function addressKey(address: string | undefined): string {
  const [plain = ''] = (address ?? '').split('%', 1)
  const [, ipv4] = IPV4_IN_IPV6.exec(plain) ?? []
  if (ipv4 !== undefined) return ipv4
  return isIP(plain) === 6 ? `${prefixOf(plain)}::/64` : plain
}

/** Values that a client wrote into the header itself precede those of the proxies and are ignored. */
export function forwardedAddress(request: IncomingMessage, { header, count }: TrustedProxies): string {
  const given = request.headers[header]
  const hops = (Array.isArray(given) ? given.join(',') : (given ?? '')).split(',').map(hop => hop.trim())
  const hop = hops.at(-count) ?? ''
  // Without a valid address in the header, the request did not come through the proxies.
  return addressKey(isIP(hop) === 0 ? request.socket.remoteAddress : hop)
}

function prefixOf(ipv6: string): string {
  const [head = '', tail] = ipv6.split('::')
  const groups = head === '' ? [] : head.split(':')
  const behind = tail === undefined || tail === '' ? [] : tail.split(':')
  // A dotted IPv4 suffix counts as two groups.
  const length = groups.length + behind.length + (ipv6.includes('.') ? 1 : 0)
  const all = tail === undefined ? groups : [...groups, ...Array<string>(8 - length).fill('0'), ...behind]
  return all
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')
}
