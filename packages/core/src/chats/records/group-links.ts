// The links to groups that this account has made. A revoked link has no row: it counts as one that never was.
import type { ChatId } from '@postern/protocol'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'

type Reads = Pick<Store, 'get' | 'all'>

export type LinkRow = { token: string; chat_id: ChatId; made_ms: number }

export function insertLink(database: Database, { token, chat_id, made_ms }: LinkRow): void {
  database.run('INSERT INTO group_link (token, chat_id, made_ms) VALUES (?, ?, ?)', token, chat_id, made_ms)
}

export const findLink = (reads: Pick<Reads, 'get'>, token: string): LinkRow | undefined =>
  reads.get<LinkRow>('SELECT token, chat_id, made_ms FROM group_link WHERE token = ?', token)

/** Oldest first. */
export const linksOf = (reads: Reads, chat: ChatId): LinkRow[] =>
  reads.all<LinkRow>('SELECT token, chat_id, made_ms FROM group_link WHERE chat_id = ? ORDER BY made_ms, token', chat)

/** The requests by it are gone with it. False if there is no such link. */
export const deleteLink = (database: Database, chat: ChatId, token: string): boolean =>
  database.run('DELETE FROM group_link WHERE chat_id = ? AND token = ?', chat, token).changes > 0

export function deleteLinksOf(database: Database, chat: ChatId): void {
  database.run('DELETE FROM group_link WHERE chat_id = ?', chat)
}

/**
 * The database is a copy from a backup, and does not know which of these links were revoked since, and whom an admin
 * has declined or removed.
 */
export function deleteAllLinks(database: Database): void {
  database.run('DELETE FROM group_link')
}
