// The people that this account knows: their names,
// the keys of their profiles, and which of them came by the invite link.
import type { Person } from '@postern/bot-api/objects'
import { type AccountId, cleanLine } from '@postern/protocol'
import type { Hello, Profile } from '@postern/protocol/content'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'

export type PersonRow = {
  account_id: AccountId
  name: string
  bot: number
  profile_key: Uint8Array | null
  profile_version: number
  wanted_version: number
  /** The highest version that the account itself has named: the relay may serve an older one. */
  floor_version: number
  by_link: number
  accepted: number
  blocked: number
  verified: number
}

type Reads = Pick<Store, 'get' | 'all'>

export const UNNAMED_CHARS = 8

export const findPerson = (reads: Reads, account: AccountId): PersonRow | undefined =>
  reads.get<PersonRow>('SELECT * FROM person WHERE account_id = ?', account)

/** A name that is not known yet, or has no visible character, becomes the beginning of the id. */
export const shownName = (account: AccountId, name: string | null | undefined): string =>
  name || account.slice(0, UNNAMED_CHARS)

export const nameOf = (reads: Reads, account: AccountId): string =>
  shownName(account, reads.get<{ name: string }>('SELECT name FROM person WHERE account_id = ?', account)?.name)

export function personOf(reads: Reads, account: AccountId): Person {
  const row = reads.get<Pick<PersonRow, 'name' | 'bot'>>('SELECT name, bot FROM person WHERE account_id = ?', account)
  return shownPerson(account, row)
}

export const shownPerson = (
  account: AccountId,
  row: { name: string | null; bot: number | null } | undefined,
): Person => ({
  id: account,
  name: shownName(account, row?.name),
  ...(row?.bot === 1 && { bot: true }),
})

export function profileOf(reads: Reads, account: AccountId): Profile & { id: AccountId } {
  const row = reads.get<{ json: string }>('SELECT json FROM profile WHERE account_id = ?', account)
  const known = row && (JSON.parse(row.json) as Profile)
  return { about: '', bot: false, commands: [], ...known, id: account, name: nameOf(reads, account) }
}

/** Unless a newer version is known: a relay can withhold a greeting, and deliver it when its name is outdated. */
export function noteHello(database: Database, account: AccountId, { hello, version }: Greeting): void {
  database.run(
    `INSERT INTO person (account_id, name, profile_key) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET name = excluded.name, profile_key = excluded.profile_key WHERE floor_version <= ?`,
    account,
    cleanLine(hello.name),
    hello.profileKey,
    version,
  )
}

/** A greeting, and the version of the profile that its sender named beside it. */
type Greeting = { hello: Hello; version: number }

/** The key of an invite link, before its owner has sent anything. */
export function noteProfileKey(database: Database, account: AccountId, profileKey: Uint8Array): void {
  database.run(
    `INSERT INTO person (account_id, profile_key, wanted_version) VALUES (?, ?, 1)
     ON CONFLICT DO UPDATE SET profile_key = excluded.profile_key, wanted_version = max(wanted_version, 1)`,
    account,
    profileKey,
  )
}

export function noteWantedVersion(database: Database, account: AccountId, version: number): void {
  database.run(
    `INSERT INTO person (account_id, wanted_version, floor_version) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET wanted_version = max(wanted_version, excluded.wanted_version),
       floor_version = max(floor_version, excluded.floor_version)`,
    account,
    version,
    version,
  )
}

export function noteCameByLink(database: Database, account: AccountId): void {
  database.run('INSERT INTO person (account_id, by_link) VALUES (?, 1) ON CONFLICT DO UPDATE SET by_link = 1', account)
}

/** The owner has accepted this person by hand. */
export function noteAccepted(database: Database, account: AccountId): void {
  database.run(
    'INSERT INTO person (account_id, accepted) VALUES (?, 1) ON CONFLICT DO UPDATE SET accepted = 1',
    account,
  )
}

/** Accepted where only contacts are: by the link, or by the owner's decision. */
export const isContact = (reads: Reads, account: AccountId): boolean =>
  reads.get('SELECT 1 FROM person WHERE account_id = ? AND (by_link = 1 OR accepted = 1)', account) !== undefined

/**
 * Whether it was news: a version older than the known one, or than the one that the account has named, is not accepted.
 */
export function noteProfile(
  database: Database,
  account: AccountId,
  { profile, version }: { profile: Profile; version: number },
): boolean {
  const { changes } = database.run(
    `UPDATE person SET name = ?, bot = ?, profile_version = ?, floor_version = ?, wanted_version = max(wanted_version, ?)
     WHERE account_id = ? AND profile_version < ? AND floor_version <= ?`,
    profile.name,
    profile.bot ? 1 : 0,
    version,
    version,
    version,
    account,
    version,
    version,
  )
  if (changes > 0) writeProfile(database, account, profile)
  return changes > 0
}

/** The account's own name is stored with the others', so that every list of people is built in one way. */
export function noteOwnProfile(database: Database, account: AccountId, profile: Profile): void {
  database.run(
    `INSERT INTO person (account_id, name, bot) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET name = excluded.name, bot = excluded.bot`,
    account,
    profile.name,
    profile.bot ? 1 : 0,
  )
  writeProfile(database, account, profile)
}

/** A profile with a picture is large, so it has its own table: every message looks up names. */
function writeProfile(database: Database, account: AccountId, profile: Profile): void {
  database.run('INSERT OR REPLACE INTO profile VALUES (?, ?)', account, JSON.stringify(profile))
}

/**
 * The profile could not be fetched: it is not requested again until its owner sends something. Its required version
 * stays known. A version that the owner has named meanwhile is requested next.
 */
export function giveUpVersion(database: Database, asked: PersonRow): void {
  database.run(
    `UPDATE person SET wanted_version = profile_version
     WHERE account_id = ? AND wanted_version = ? AND profile_key IS ?`,
    asked.account_id,
    asked.wanted_version,
    asked.profile_key,
  )
}

export const peopleToRefresh = (reads: Reads, limit: number): PersonRow[] =>
  reads.all<PersonRow>(
    'SELECT * FROM person WHERE wanted_version > profile_version AND profile_key IS NOT NULL LIMIT 0 + ?',
    limit,
  )
