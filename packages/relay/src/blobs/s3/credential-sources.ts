// Sources of the keys for an object store, under the names that Amazon's tools use. The first configured source counts.
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Env } from '@postern/protocol'
import { credentialKindIn } from '../blob-place.ts'
import type { FetchedCredentials } from './credential-cache.ts'
import {
  containerCredentials,
  instanceCredentials,
  type RoleContext,
  webIdentityCredentials,
} from './role-credentials.ts'

type SourceContext = RoleContext & { env: Env }

/** Throws an error that contains no key and no token. */
export async function fetchCredentials(context: SourceContext): Promise<FetchedCredentials> {
  const { env } = context
  const kind = credentialKindIn(env)
  switch (kind) {
    case 'environment':
      return environmentCredentials(env)
    case 'web-identity':
      return await webIdentityCredentials(env, context)
    case 'file':
      return await fileCredentials(env)
    case 'container':
      return await containerCredentials(env, context)
    case 'instance':
      return await instanceCredentials(env, context).catch((cause: unknown) => {
        const why = cause instanceof Error ? cause.message : String(cause)
        throw new Error(`set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine a role (${why})`, {
          cause,
        })
      })
    default:
      return kind satisfies never
  }
}

const environmentCredentials = (env: Env): FetchedCredentials => ({
  credentials: {
    accessKeyId: env['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: env['AWS_SECRET_ACCESS_KEY'] ?? '',
    sessionToken: env['AWS_SESSION_TOKEN'] || undefined,
  },
  isFixed: true,
})

/** The file may change at any time, so it is read again periodically. */
async function fileCredentials(env: Env): Promise<FetchedCredentials> {
  const path = env['AWS_SHARED_CREDENTIALS_FILE'] || join(env['HOME'] ?? homedir(), '.aws', 'credentials')
  const profile = env['AWS_PROFILE'] || 'default'
  const fields = profileIn(await readFile(path, 'utf8'), profile)
  const accessKeyId = fields.get('aws_access_key_id')
  const secretAccessKey = fields.get('aws_secret_access_key')
  if (!accessKeyId || !secretAccessKey) throw new Error(`${path} has no keys for the profile ${profile}`)
  return { credentials: { accessKeyId, secretAccessKey, sessionToken: fields.get('aws_session_token') } }
}

function profileIn(text: string, profile: string): Map<string, string> {
  const fields = new Map<string, string>()
  let isInside = false
  for (const line of text.split('\n')) {
    const [, section] = /^\s*\[\s*(.*?)\s*\]/.exec(line) ?? []
    if (section !== undefined) isInside = section === profile
    const [, name, value] = /^\s*([\w-]+)\s*=\s*(\S*)\s*$/.exec(line) ?? []
    if (isInside && name && value) fields.set(name, value)
  }
  return fields
}
