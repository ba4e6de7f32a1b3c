// Addresses that are not of the internet: the operator's network, this machine, and ways to them.
import { BlockList, isIPv4 } from 'node:net'

function listOf(ranges: string, family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges.split(' ')) {
    const [net = '', prefix] = range.split('/')
    list.addSubnet(net, Number(prefix), family)
  }
  return list
}

const inside4 = listOf(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
    '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3',
  'ipv4',
)

/** The internet uses only this part of IPv6, without the ranges below. */
const internet6 = listOf('2000::/3', 'ipv6')
const inside6 = listOf('2001::/23 2001:db8::/32 2002::/16 3fff::/20', 'ipv6')

export function isInside(address: string): boolean {
  if (isIPv4(address)) return inside4.check(address, 'ipv4')
  return !internet6.check(address, 'ipv6') || inside6.check(address, 'ipv6')
}
