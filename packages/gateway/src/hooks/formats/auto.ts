// The format `auto`: recognises whose post it is, by a table, and leaves it to that format.
import type { HookFormat } from '@postern/bot-api'
import { CodedError } from '@postern/protocol'
import { isFields, type PostFields } from './fields.ts'
import { defineFormat } from './format.ts'
import { type PostBody, readJson, readJsonOrForm } from './post-body.ts'

const byHeader: readonly [string, HookFormat][] = [
  ['x-github-event', 'github'],
  ['x-gitlab-event', 'gitlab'],
  ['sentry-hook-resource', 'sentry'],
]

const isVersion = (version: string, { version: given }: PostFields): boolean =>
  given === version || given === Number(version)

/** The first row that fits. */
const byFields: readonly [(body: PostFields) => boolean, HookFormat][] = [
  [body => isVersion('4', body) && 'alerts' in body, 'alerts'],
  [body => isVersion('1', body) && 'orgId' in body && 'alerts' in body, 'grafana'],
  [body => 'heartbeat' in body && 'monitor' in body, 'uptime_kuma'],
  [body => body['object_kind'] === 'pipeline', 'pipeline'],
  [body => 'attachments' in body || 'blocks' in body, 'slack'],
  [body => 'text' in body, 'text'],
]

/** Fields that senders use, so that a refusal can say what was seen without repeating what was posted. */
const knownFields = [
  'version',
  'alerts',
  'orgId',
  'heartbeat',
  'monitor',
  'object_kind',
  'event',
  'data',
  'message',
  'payload',
]

export const auto = defineFormat({
  // A format that can prove nothing is refused: see `checkProof`.
  resolve: formatOfBody,
  read: () => undefined,
  plan: () => ({ kind: 'skip', why: 'no format was recognised' }),
})

export function formatOfBody(body: PostBody): HookFormat {
  const { headers = {}, type } = body
  const named = byHeader.find(([header]) => headers[header])
  if (named) return named[1]
  if (type === 'multipart/form-data') return 'uptime_kuma'
  if (type === 'application/x-www-form-urlencoded') return ofFields(readJsonOrForm(body, 'payload'), { isForm: true })
  if (type.startsWith('text/')) return ofPlain(body)
  return ofFields(readJson(body), { isForm: false })
}

/** Some programs post JSON under a wrong type. */
function ofPlain(body: PostBody): HookFormat {
  if (!/^\s*\{/.test(body.text)) return 'text'
  try {
    const json = readJson(body)
    return (isFields(json) ? byFields.find(([fits]) => fits(json))?.[1] : undefined) ?? 'text'
  } catch {
    return 'text'
  }
}

function ofFields(json: unknown, { isForm }: { isForm: boolean }): HookFormat {
  if (!isFields(json)) throw new CodedError('bad-field', { field: 'body', rule: 'must be a JSON object' })
  const found = byFields.find(([fits]) => fits(json))?.[1]
  if (isForm && (found === undefined || found === 'text')) return 'slack'
  if (found) return found
  const seen = knownFields.filter(name => name in json)
  const what = seen.length === 0 ? 'none of the known fields' : `only the fields ${seen.join(', ')}`
  throw new CodedError('bad-field', { field: 'body', rule: `must be in a known format, and has ${what}` })
}
