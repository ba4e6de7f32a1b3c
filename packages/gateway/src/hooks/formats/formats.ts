// The formats by the names that the API gives them. A name without a format, or a format without a name, does not compile.
import type { HookFormat } from '@postern/bot-api'
import { alerts } from './alerts.ts'
import { auto } from './auto.ts'
import type { Format } from './format.ts'
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import { grafana } from './grafana.ts'
import { pipeline } from './pipeline.ts'
import type { PostBody } from './post-body.ts'
import { sentry } from './sentry.ts'
import { slack } from './slack.ts'
import { template } from './template.ts'
import { text } from './text.ts'
import { uptimeKuma } from './uptime-kuma.ts'

const table = {
  alerts,
  pipeline,
  text,
  slack,
  grafana,
  uptime_kuma: uptimeKuma,
  github,
  gitlab,
  sentry,
  auto,
  template,
} satisfies Record<HookFormat, Format>

/** The keys under which formats store their memory of subjects. */
export type StorageKey = (typeof table)[HookFormat] extends Format<infer Name> ? Name : never

export const formats: Record<HookFormat, Format<StorageKey>> = table

/** The format that reads this body: another one for a format that only recognises bodies. */
export function formatOf(name: HookFormat, body: PostBody): Format<StorageKey> {
  const format = formats[name]
  const resolved = format.resolve?.(body) ?? name
  if (resolved === name) return format
  const { proof, delivery } = format
  return { ...formatOf(resolved, body), ...(proof && { proof }), ...(delivery && { delivery }) }
}
