// The relay's secrets, each of which can be in a file instead: POSTERN_RELAY_DATABASE_FILE names that of the database.
import type { Env } from '@postern/protocol'
import { secretFileVariable, withSecretFiles } from '@postern/protocol/node'

export const RELAY_DATABASE = 'POSTERN_RELAY_DATABASE'
const relaySecrets = [RELAY_DATABASE, 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']

export const DATABASE_FILE = secretFileVariable(RELAY_DATABASE)

/** Throws `bad-field`, which names the variable. */
export const withRelaySecrets = (env: Env): Env => withSecretFiles(env, relaySecrets)
