// The OpenAPI document for people: request bodies, and each kind of an update or a notice, are inlined where they are
// used and need no name.
import type { OpenapiDocument } from '@postern/bot-api'

type Schemas = OpenapiDocument['components']['schemas']

export function inlineSchemas(document: OpenapiDocument): OpenapiDocument {
  const { schemas } = document.components
  const inlined = inlinedNames(schemas)
  const shown = Object.fromEntries(Object.entries(schemas).filter(([name]) => !inlined.has(name)))
  const whole = { ...document, components: { ...document.components, schemas: shown } }
  return replaced(whole, { schemas, inlined }) as OpenapiDocument
}

/** Request bodies, the objects in them, and the targets of a discriminator. */
function inlinedNames(schemas: Schemas): ReadonlySet<string> {
  const kinds = Object.values(schemas).flatMap(({ discriminator }) =>
    Object.values((discriminator as { mapping?: Record<string, string> } | undefined)?.mapping ?? {}).map(nameIn),
  )
  return new Set([...kinds, ...Object.keys(schemas).filter(name => /^New|Request$/.test(name))])
}

const nameIn = (reference: string): string => reference.split('/').at(-1) ?? ''

function replaced(value: unknown, from: { schemas: Schemas; inlined: ReadonlySet<string> }): unknown {
  if (Array.isArray(value)) return value.map(item => replaced(item, from))
  if (typeof value !== 'object' || value === null) return value
  const { $ref } = value as { $ref?: string }
  if ($ref !== undefined && from.inlined.has(nameIn($ref))) return replaced(from.schemas[nameIn($ref)], from)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaced(inner, from)]))
}
