// The formats by the names that the API gives them. A name without a format, or a format without a name, does not compile.
import type { HookFormat } from '@postern/bot-api'
import { alerts } from './alerts.ts'
import type { Format } from './format.ts'
import { pipeline } from './pipeline.ts'
import { text } from './text.ts'

const table = { alerts, pipeline, text } satisfies Record<HookFormat, Format>

/** The keys under which formats store their memory of subjects. */
export type StorageKey = (typeof table)[HookFormat] extends Format<infer Name> ? Name : never

export const formats: Record<HookFormat, Format<StorageKey>> = table
