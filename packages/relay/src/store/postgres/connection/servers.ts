// The servers that an address names: one, or several of which one takes writes. After a failover that is another one.
import { CodedError } from '@postern/protocol'
import { assertEncryption } from './encryption.ts'

/** Before the hosts, the hosts, and what is behind them. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(.*)$/s
/** libpq's word for it. A relay writes: it has no use for a server that does not take that. */
const ATTRIBUTE = 'target_session_attrs'
const WRITES = ['read-write', 'primary']

const wrong = (rule: string): CodedError => new CodedError('bad-field', { field: '--database', rule })

/** One address for each host that this one names: `postgres://user@one:5432,two:5432/postern?target_session_attrs=read-write`. */
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

/** The driver does not know it, and would hand it to the server. */
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

/** Which of them to go to. All connections of a relay go to one, until that one turns out to be gone, or not to take writes. */
export class Servers {
  readonly #addresses: readonly string[]
  /** Whether the one that is gone to is asked if it takes writes: of several one does, and a single one if that is wanted. */
  readonly isToBeAsked: boolean
  #at = 0

  constructor(address: string) {
    this.#addresses = serverAddresses(address)
    this.isToBeAsked = this.count > 1 || address.includes(`${ATTRIBUTE}=`)
  }

  get count(): number {
    return this.#addresses.length
  }

  /** The one to go to. */
  get chosen(): string {
    return this.#addresses[this.#at] as string
  }

  /** Another one from now on. Many may find out together: only the first of them moves on. */
  passOver(address: string): void {
    if (address === this.chosen) this.#at = (this.#at + 1) % this.#addresses.length
  }
}
