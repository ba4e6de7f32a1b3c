// Where a PostgreSQL is, as an operator says it.
import { CodedError } from '@postern/protocol'

/** What is wrong is not shown: there may be a password in it. */
export function databaseAddress(text: string | undefined): string | undefined {
  if (text === undefined || /^postgres(ql)?:\/\/./.test(text)) return text
  const rule = 'it is the address of a PostgreSQL, as in postgres://user@host/name'
  throw new CodedError('bad-field', { field: '--database', rule })
}

const PARTS = /^(postgres(?:ql)?:\/\/)(.*@)?([^@/?]*)(.*)$/s
const SESSION_ATTRS = /([?&])target_session_attrs=([^&]*)&?/

export type Servers = {
  /** One for each host that is named, with commas between them. */
  readonly addresses: readonly string[]
  /** Only one of them takes writes, and which one may change. */
  readonly isForWriting: boolean
}

export function serversIn(address: string): Servers {
  const [, scheme = '', user = '', hosts = '', rest = ''] = PARTS.exec(address) ?? []
  const attrs = SESSION_ATTRS.exec(rest)?.[2]
  const behind = rest.replace(SESSION_ATTRS, '$1').replace(/[?&]$/, '')
  const all = hosts.split(',')
  const isForWriting = attrs === 'read-write' || attrs === 'primary' || all.length > 1
  return { addresses: all.map(host => `${scheme}${user}${host}${behind}`), isForWriting }
}
