// Schemas of the API in JSON Schema 2020-12, with references to those that have a name.
import { z } from 'zod'
import { update } from './events.ts'
import { createdHook, hook } from './hook-objects.ts'
import { notice } from './notices.ts'
import {
  apiError,
  bot,
  botCommand,
  button,
  chat,
  file,
  mention,
  message,
  person,
  poll,
  webhookStatus,
} from './objects.ts'

export type JsonSchema = Record<string, unknown>

const named = {
  Person: person,
  Command: botCommand,
  Bot: bot,
  Chat: chat,
  Mention: mention,
  Button: button,
  File: file,
  Poll: poll,
  Message: message,
  Notice: notice,
  Update: update,
  WebhookStatus: webhookStatus,
  Hook: hook,
  CreatedHook: createdHook,
  Error: apiError,
}

const INLINE = 'inline'

export const componentSchemas = (): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(convert(namedRegistry())).map(([name, schema]) => [name, bare(schema)]))

/** A reference, when the schema has a name. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const registry = namedRegistry()
  const name = registry.get(schema)?.id
  if (name !== undefined) return { $ref: referenceTo(name) }
  return bare(convert(registry.add(schema, { id: INLINE }))[INLINE])
}

const referenceTo = (name: string): string => `#/components/schemas/${name}`

function namedRegistry() {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  return registry
}

function convert(registry: ReturnType<typeof namedRegistry>): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(registry, {
    uri: referenceTo,
    unrepresentable: 'any',
    override: ({ jsonSchema, zodSchema }) => {
      // Unknown fields are ignored in requests, and answers may have more of them one day.
      if (zodSchema._zod.def.type === 'object') delete jsonSchema.additionalProperties
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return schemas
}

function bare(schema: JsonSchema = {}): JsonSchema {
  const { $schema: _, $id: __, ...rest } = schema
  return rest
}
