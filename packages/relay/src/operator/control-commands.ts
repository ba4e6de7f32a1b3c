// The commands that a running relay accepts on its control socket.
import { join } from 'node:path'
import { type AccountId, CodedError, DAY_MS, isAccountId, relayFixedLimits } from '@postern/protocol'
import { type ControlCommands, holdCommands } from '@postern/protocol/control'
import type { SocketServer } from '../connections/socket-server.ts'
import { inviteIdOf } from '../invites/invites.ts'
import { DATABASE_NAME } from '../store/claim-directory.ts'
import type { AccountFacts } from '../store/relay-store.ts'
import type {
  AccountAnswer,
  AccountsAnswer,
  BanAnswer,
  InvitesAnswer,
  RevokeAnswer,
  StatusAnswer,
  UnbanAnswer,
} from './answers.ts'
import type { Overview, ServedRelay } from './overview.ts'

type Given = Readonly<Record<string, unknown>>
export type OperatedRelay = ServedRelay & { sockets: SocketServer; overview: Overview }

export const controlCommands = (operated: OperatedRelay, startedMs: number): ControlCommands => ({
  status: () => status(operated, startedMs),
  accounts: given => accounts(operated, given),
  ban: given => ban(operated, given),
  unban: given => unban(operated, given),
  invites: () => invites(operated),
  'revoke-invite': given => revokeInvite(operated, given),
  ...holdCommands({
    hold: () => operated.parts.store.hold(),
    logPath: join(operated.dataDirectory, `${DATABASE_NAME}-wal`),
    clock: operated.parts.clock,
  }),
})

async function status({ parts, overview }: OperatedRelay, startedMs: number): Promise<StatusAnswer> {
  const { takesMessages, takesBlobs, oldestEntryMs, ...figures } = await overview.read('now')
  return {
    started: isoTime(startedMs),
    store: parts.store.kind,
    registration: parts.admission.registration,
    push: parts.push ? (parts.push.reach.isAway ? 'unreachable' : 'on') : 'off',
    takes: { messages: takesMessages, blobs: takesBlobs },
    connections: { members: figures.members, newcomers: figures.newcomers },
    uploads: figures.uploads,
    accounts: figures.accounts,
    banned: figures.banned,
    groups: figures.groups,
    oldest_entry: oldestEntryMs === undefined ? null : isoTime(oldestEntryMs),
    database_bytes: figures.databaseBytes,
    database_used_bytes: figures.databaseUsedBytes,
    database_log_bytes: figures.logBytes,
    blobs: figures.blobs,
    blob_bytes: figures.blobRoomBytes,
    disk_free_bytes: figures.diskFreeBytes,
    disk_total_bytes: figures.diskTotalBytes,
  }
}

async function accounts({ parts, sockets }: OperatedRelay, given: Given): Promise<AccountsAnswer> {
  const { store, clock } = parts
  const nowMs = clock.nowMs()
  const shown = (facts: AccountFacts) => accountAnswer(facts, sockets.countOf(facts.account))
  if (given['account'] !== undefined) {
    const account = accountIn(given)
    const facts = await store.getAccountFacts(account, nowMs)
    if (!facts) throw new CodedError('account-not-found', { account })
    return { accounts: [shown(facts)] }
  }
  const after = given['after'] === undefined ? undefined : accountIn({ account: given['after'] })
  const which = given['banned'] === true ? 'banned' : 'all'
  const found = await store.listAccounts({ countMax: countIn(given['limit']), nowMs, after, which })
  return { accounts: found.map(shown) }
}

const accountAnswer = (facts: AccountFacts, connections: number): AccountAnswer => ({
  account: facts.account,
  created: isoDay(facts.createdMs),
  last_seen: facts.seenDay === 0 ? null : isoDay(facts.seenDay * DAY_MS),
  connections,
  groups: facts.groups,
  bytes_today: facts.bytesToday,
  blob_bytes: facts.blobBytes,
  banned: facts.bannedMs === undefined ? null : isoTime(facts.bannedMs),
})

async function ban({ parts, sockets, uploads }: OperatedRelay, given: Given): Promise<BanAnswer> {
  const account = accountIn(given)
  const connections = sockets.countOf(account)
  const end = (): void => {
    sockets.shutOut(account)
    uploads.abortOf(account)
  }
  await parts.bans.ban(account, { nowMs: parts.clock.nowMs(), end })
  parts.log.info({ account, connections }, 'account banned')
  return { account, connections }
}

async function unban({ parts }: OperatedRelay, given: Given): Promise<UnbanAnswer> {
  const account = accountIn(given)
  await parts.bans.unban(account)
  parts.log.info({ account }, 'account unbanned')
  return { account }
}

async function invites({ parts }: OperatedRelay): Promise<InvitesAnswer> {
  const { invites: files, store, clock } = parts
  const nowMs = clock.nowMs()
  const made = (await files.list()).toSorted((one, other) => one.expiresMs - other.expiresMs)
  const shown = made.map(async invite => ({
    invite: inviteIdOf(invite),
    uses: invite.usesMax,
    used: await store.inviteUses(invite.hash),
    expires: isoTime(invite.expiresMs),
    expired: invite.expiresMs <= nowMs,
  }))
  return { invites: await Promise.all(shown) }
}

async function revokeInvite({ parts }: OperatedRelay, given: Given): Promise<RevokeAnswer> {
  const invite = await parts.invites.revoke(String(given['invite']))
  parts.log.info({ invite: inviteIdOf(invite) }, 'invite revoked')
  return { invite: inviteIdOf(invite), used: await parts.store.inviteUses(invite.hash) }
}

function accountIn(given: Given): AccountId {
  const { account } = given
  if (typeof account === 'string' && isAccountId(account)) return account
  throw new CodedError('bad-field', { field: 'account', rule: `${JSON.stringify(account)} is not an account id` })
}

function countIn(limit: unknown): number {
  const max = relayFixedLimits.accountsPerPageMax
  if (limit === undefined) return max
  if (typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= 1 && limit <= max) return limit
  throw new CodedError('bad-field', { field: 'limit', rule: `must be a whole number from 1 to ${max}` })
}

const isoTime = (ms: number): string => new Date(ms).toISOString()
const isoDay = (ms: number): string => isoTime(ms).slice(0, 10)
