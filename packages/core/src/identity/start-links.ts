// Start links of a bot: a secret token stands for a payload. The bot's own client alone knows both, and judges each use.
import type { MlsProvider } from '@postern/mls'
import {
  type AccountId,
  assertKept,
  type Clock,
  CodedError,
  clientLimits,
  START_LINK_ID_BYTES,
  type StartLinkId,
  startLinkIdFromBytes,
  startPayloadFault,
} from '@postern/protocol'
import { formatInvite, startTokenOf } from '@postern/protocol/content'
import type { Database } from '../storage/database.ts'
import type { ElapsedClock } from '../storage/state/elapsed-clock.ts'
import { findKey, type Idempotency, noteKey } from '../storage/state/idempotency-keys.ts'
import type { Store } from '../storage/transactions/store.ts'
import type { OwnAccount } from './account.ts'

export type NewStartLink = { payload: string; uses?: number | undefined; expiresTs?: number | undefined }

/** `uses`: how many people may come by it; absent: any number. `used`: how many have come. */
export type StartLink = NewStartLink & { id: StartLinkId; url: string; used: number; ts: number }

/** The link by which a person came. */
export type UsedStartLink = { id: StartLinkId; payload: string }

type StartLinkRow = {
  number: number
  id: StartLinkId
  token: string
  payload: string
  uses: number | null
  used: number
  expires_ts: number | null
  ts: number
}

type StartLinkContext = {
  store: Store
  own: OwnAccount
  provider: MlsProvider
  clock: Clock
  elapsed: Pick<ElapsedClock, 'nowMs'>
}

const TOKEN_BYTES = 16
const UNEXPIRED = '(expires_ts IS NULL OR expires_ts > ?)'

/** Under a key that was used before, returns the link that was made then; throws if that link is gone. */
export async function createStartLink(
  core: StartLinkContext,
  wanted: NewStartLink,
  idempotency: Idempotency | undefined,
): Promise<StartLink> {
  const earlier = idempotency && findKey(core, idempotency)
  if (earlier) return viewLink(core, findLink(core, earlier.subject))
  assertKept('payload', startPayloadFault(wanted.payload))
  const nowMs = core.clock.nowMs()
  if (wanted.expiresTs !== undefined && wanted.expiresTs <= nowMs) assertKept('expires', 'must be in the future')
  const id = startLinkIdFromBytes(core.provider.randomBytes(START_LINK_ID_BYTES))
  const token = startTokenOf(core.provider.randomBytes(TOKEN_BYTES))
  await core.store.write(database => {
    database.run(`DELETE FROM start_link WHERE NOT ${UNEXPIRED}`, nowMs)
    assertRoom(database)
    if (idempotency) noteKey(database, idempotency, { subject: id, nowMs: core.elapsed.nowMs() })
    database.run(
      'INSERT INTO start_link (id, token, payload, uses, expires_ts, ts) VALUES (?, ?, ?, ?, ?, ?)',
      id,
      token,
      wanted.payload,
      wanted.uses ?? null,
      wanted.expiresTs ?? null,
      nowMs,
    )
  })
  return viewLink(core, findLink(core, id))
}

function assertRoom(database: Database): void {
  const max = clientLimits.startLinksMax
  const { count } = database.get<{ count: number }>('SELECT count(*) AS count FROM start_link') ?? { count: 0 }
  if (count >= max) throw new CodedError('start-links-full', { max })
}

/** `after`: the last link of the previous page. `expiresBeforeTs`: only links that expire before it. */
export type StartLinksPage = {
  limit?: number | undefined
  after?: string | undefined
  expiresBeforeTs?: number | undefined
}

/** Oldest first, without those that have expired. */
export function listStartLinks(core: StartLinkContext, { limit, after, expiresBeforeTs }: StartLinksPage): StartLink[] {
  const from = after === undefined ? 0 : findLink(core, after).number
  return core.store
    .all<StartLinkRow>(
      `SELECT * FROM start_link WHERE number > ? AND ${UNEXPIRED} AND (? < 0 OR expires_ts < ?)
       ORDER BY number LIMIT 0 + ?`,
      from,
      core.clock.nowMs(),
      expiresBeforeTs ?? -1,
      expiresBeforeTs ?? -1,
      limit ?? -1,
    )
    .map(row => viewLink(core, row))
}

export async function revokeStartLink(core: StartLinkContext, id: string): Promise<void> {
  const { number } = findLink(core, id)
  await core.store.write(database => database.run('DELETE FROM start_link WHERE number = ?', number))
}

/**
 * Counts a person who shows a token, once for each link. Undefined when there is no such link, when it has expired by
 * this client's clock, or when all of its uses are taken by others.
 */
export function useStartLink(
  { clock }: Pick<StartLinkContext, 'clock'>,
  database: Database,
  { token, account }: { token: string; account: AccountId },
): UsedStartLink | undefined {
  const row = database.get<StartLinkRow>(
    `SELECT * FROM start_link WHERE token = ? AND ${UNEXPIRED}`,
    token,
    clock.nowMs(),
  )
  if (!row) return undefined
  const { number, id, payload, uses, used } = row
  const hasCome = database.get('SELECT 1 FROM start_link_use WHERE link = ? AND account_id = ?', number, account)
  if (!hasCome) {
    if (uses !== null && used >= uses) return undefined
    database.run('INSERT INTO start_link_use (link, account_id) VALUES (?, ?)', number, account)
    database.run('UPDATE start_link SET used = used + 1 WHERE number = ?', number)
  }
  return { id, payload }
}

function findLink({ store, clock }: Pick<StartLinkContext, 'store' | 'clock'>, id: string): StartLinkRow {
  const row = store.get<StartLinkRow>(`SELECT * FROM start_link WHERE id = ? AND ${UNEXPIRED}`, id, clock.nowMs())
  if (!row) throw new CodedError('start-link-not-found')
  return row
}

function viewLink({ own }: Pick<StartLinkContext, 'own'>, row: StartLinkRow): StartLink {
  const { id, token, payload, uses, used, expires_ts, ts } = row
  return {
    id,
    url: formatInvite(own.relayUrl, { account: own.id, profileKey: own.profileKey, token }),
    payload,
    ...(uses !== null && { uses }),
    used,
    ...(expires_ts !== null && { expiresTs: expires_ts }),
    ts,
  }
}
