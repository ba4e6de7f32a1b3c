// A relay's answers on its control socket, as its commands print them.

export type StatusAnswer = {
  started: string
  /** The kind of store: `sqlite` or `postgresql`. */
  store: string
  registration: string
  push: 'on' | 'off' | 'unreachable'
  takes: { messages: boolean; blobs: boolean }
  connections: { members: number; newcomers: number }
  uploads: number
  accounts: number
  banned: number
  groups: number
  oldest_entry: string | null
  database_bytes: number
  database_used_bytes: number
  database_log_bytes: number
  blobs: number
  blob_bytes: number
  disk_free_bytes: number
  disk_total_bytes: number
}

/** Times are days: a relay should not keep who was online when. */
export type AccountAnswer = {
  account: string
  created: string
  last_seen: string | null
  connections: number
  groups: number
  bytes_today: number
  blob_bytes: number
  banned: string | null
}
export type AccountsAnswer = { accounts: AccountAnswer[] }

/** `connections`: how many the ban ended. */
export type BanAnswer = { account: string; connections: number }
export type UnbanAnswer = { account: string }

export type InviteAnswer = { invite: string; uses: number; used: number; expires: string; expired: boolean }
export type InvitesAnswer = { invites: InviteAnswer[] }
export type RevokeAnswer = { invite: string; used: number }
