// Formats a relay's answers to its operator for a terminal; `--json` prints them unformatted.
import type {
  AccountAnswer,
  AccountsAnswer,
  BanAnswer,
  InvitesAnswer,
  RevokeAnswer,
  StatusAnswer,
  UnbanAnswer,
} from '../operator/answers.ts'

const KIB = 1024

/** With one digit after the point, except for plain bytes. */
function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = bytes < KIB ? 0 : Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(KIB)))
  return `${(bytes / KIB ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

/** Columns as wide as their widest cell. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map(row => (row[column] ?? '').length)))
  const line = (row: readonly string[]): string => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')
  return all.map(row => line(row).trimEnd()).join('\n')
}

const takenText = (isTaken: boolean): string => (isTaken ? 'taken' : 'REJECTED, there is no free space')

export function showStatus(status: StatusAnswer): string {
  const { members, newcomers } = status.connections
  const lines: [string, string][] = [
    ['started', status.started],
    ['registration', status.registration],
    ['messages', takenText(status.takes.messages)],
    ['blobs', takenText(status.takes.blobs)],
    ['connections', `${members} logged in, ${newcomers} not, ${status.uploads} uploads`],
    ['accounts', `${status.accounts}, ${status.banned} of them banned`],
    ['groups', String(status.groups)],
    ['oldest entry', status.oldest_entry ?? 'none'],
    ['database', databaseText(status)],
    ['blobs stored', `${status.blobs}, ${bytesText(status.blob_bytes)}`],
    ['disk', `${bytesText(status.disk_free_bytes)} free of ${bytesText(status.disk_total_bytes)}`],
  ]
  return lines.map(([name, value]) => `${name.padEnd(14)}${value}`).join('\n')
}

/** The relay does not see the files of a PostgreSQL server. */
function databaseText(status: StatusAnswer): string {
  const bytes = bytesText(status.database_bytes)
  if (status.store === 'postgresql') return `${bytes}, on PostgreSQL`
  return `${bytesText(status.database_used_bytes)} used of ${bytes}, log ${bytesText(status.database_log_bytes)}`
}

const accountRow = (one: AccountAnswer): string[] => [
  one.account,
  one.created,
  one.last_seen ?? '-',
  String(one.connections),
  String(one.groups),
  bytesText(one.bytes_today),
  bytesText(one.blob_bytes),
  one.banned === null ? '' : `banned ${one.banned.slice(0, 10)}`,
]

export const showAccounts = ({ accounts }: AccountsAnswer): string =>
  table(['account', 'created', 'last seen', 'online', 'groups', 'today', 'blobs', ''], accounts.map(accountRow))

export const showBan = ({ account, connections }: BanAnswer): string =>
  `${account} is banned; connections closed: ${connections}`

export const showUnban = ({ account }: UnbanAnswer): string => `${account} is no longer banned`

export function showInvites({ invites }: InvitesAnswer): string {
  const rows = invites.map(({ invite, used, uses, expires, expired }) => [
    invite,
    `${used} of ${uses}`,
    expires.slice(0, 16).replace('T', ' '),
    expired ? 'expired' : '',
  ])
  return table(['invite', 'used', 'until (UTC)', ''], rows)
}

export const showRevoked = ({ invite, used }: RevokeAnswer): string =>
  `${invite} is revoked; accounts that used it: ${used}`
