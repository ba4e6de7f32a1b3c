// `postern relay invite`: makes an invite code and prints it, also while the relay runs.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CodedError, DAY_MS, type Env, relayFixedLimits, systemClock } from '@postern/protocol'
import { RELAY_DATABASE, withRelaySecrets } from '../config/secrets.ts'
import { InviteFiles } from '../invites/invite-files.ts'
import { Invites } from '../invites/invites.ts'
import { DATABASE_NAME } from '../store/claim-directory.ts'
import { databaseAddress } from '../store/postgres/connection/address.ts'
import { withInvitesIn } from '../store/postgres/tools/open-invites.ts'

const wrong = (field: string, rule: string): CodedError => new CodedError('bad-field', { field, rule })

/** Returns the code. Throws `bad-field` that names the option and its rule. */
export async function makeInvite(argv: readonly string[], env: Env): Promise<string> {
  const given = readArguments(argv)
  const database = databaseAddress(given.database ?? (withRelaySecrets(env)[RELAY_DATABASE] || undefined))
  const directory = given.data ?? env['POSTERN_RELAY_DATA']
  const usesMax = countIn('--uses', given.uses ?? '1', relayFixedLimits.inviteUsesMax)
  const days = countIn('--days', given.days ?? '7', relayFixedLimits.inviteDaysMax)
  const terms = { usesMax, expiresMs: systemClock.nowMs() + days * DAY_MS }
  if (database !== undefined) return await withInvitesIn(database, shelf => new Invites(shelf).make(terms))
  return await new Invites(filesIn(directory)).make(terms)
}

function filesIn(directory: string | undefined): InviteFiles {
  if (!directory) throw wrong('--data', "must name the relay's data directory")
  if (!existsSync(join(directory, DATABASE_NAME)))
    throw wrong('--data', `there is no relay in ${directory}. Start it there once, then make invites`)
  return new InviteFiles(directory)
}

function readArguments(argv: readonly string[]) {
  try {
    const option = { type: 'string' } as const
    return parseArgs({ args: [...argv], options: { data: option, database: option, uses: option, days: option } })
      .values
  } catch (cause) {
    const [said] = String(cause instanceof Error ? cause.message : cause).split('\n')
    throw new CodedError('bad-field', {}, { cause, message: said ?? 'The arguments are not valid.' })
  }
}

function countIn(field: string, text: string, max: number): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > max) throw wrong(field, `"${text}" is not a whole number from 1 to ${max}`)
  return count
}
