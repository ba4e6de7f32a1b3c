// The servers that an address names: one, or several of which one takes writes. A failover changes which one.
import { CodedError } from '@postern/protocol'
import { assertEncryption } from './encryption.ts'

/** The parts before the hosts, the hosts, and the rest. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(.*)$/s
/** libpq's parameter. A relay writes, so a read-only server is useless to it. */
const ATTRIBUTE = 'target_session_attrs'
const WRITES = ['read-write', 'primary']

const wrong = (rule: string): CodedError => new CodedError('bad-field', { field: '--database', rule })

/** One address per host: `postgres://user@one:5432,two:5432/postern?target_session_attrs=read-write`. */
export function serverAddresses(address: string): string[] {
  const [, before, hosts = '', behind = ''] = PARTS.exec(address) ?? []
  if (before === undefined)
    throw wrong('must be postgres://user:password@host:port/database, with commas between hosts')
  const names = hosts.split(',')
  if (names.length > 1 && names.includes('')) throw wrong('must have a host before and after each comma')
  const addresses = names.map(name => withoutAttribute(`${before}${name}${behind}`))
  for (const each of addresses) {
    assertAddress(each)
    assertEncryption(each)
  }
  return addresses
}

/** The driver does not know the parameter, and would pass it to the server. */
function withoutAttribute(address: string): string {
  const [path = '', query] = address.split('?')
  if (query === undefined) return address
  const asked = new URLSearchParams(query)
  const wanted = asked.get(ATTRIBUTE)
  if (wanted !== null && !WRITES.includes(wanted)) throw wrong(`${ATTRIBUTE} is ${WRITES.join(' or ')}: a relay writes`)
  asked.delete(ATTRIBUTE)
  return asked.size === 0 ? path : `${path}?${asked}`
}

function assertAddress(address: string): void {
  if (!URL.canParse(address)) throw wrong('contains an invalid host or port')
}

/** Chooses a server. All connections of a relay go to one, until it turns out to be unreachable or read-only. */
export class Servers {
  readonly #addresses: readonly string[]
  /** Whether to ask the chosen server if it takes writes: with several servers, or if the address requires it. */
  readonly isToBeAsked: boolean
  #at = 0

  constructor(address: string) {
    this.#addresses = serverAddresses(address)
    this.isToBeAsked = this.count > 1 || address.includes(`${ATTRIBUTE}=`)
  }

  get count(): number {
    return this.#addresses.length
  }

  get chosen(): string {
    return this.#addresses[this.#at] as string
  }

  /** Moves to the next server. Many callers may notice a failure together; only the first one moves on. */
  passOver(address: string): void {
    if (address === this.chosen) this.#at = (this.#at + 1) % this.#addresses.length
  }
}
