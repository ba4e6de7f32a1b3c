// Compares relay addresses, and warns of a connection that is not encrypted.

const loopback = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/

/** Undefined when the connection is encrypted or does not leave the machine. */
export function plainRelayWarning(relayUrl: string): string | undefined {
  const { protocol, hostname, host } = new URL(relayUrl)
  if (protocol === 'https:' || protocol === 'wss:' || loopback.test(hostname)) return undefined
  return `the connection to the relay ${host} is not encrypted: the network can see which accounts talk to each other, when and how much (no texts, names or files), and can tamper with it. Use an https:// address, with TLS in front of the relay`
}

/** ws and http are one address, and so are wss and https. */
export const isSameRelay = (one: string, other: string): boolean => httpOrigin(one) === httpOrigin(other)

const httpOrigin = (url: string): string => new URL(url.replace(/^ws/, 'http')).origin
