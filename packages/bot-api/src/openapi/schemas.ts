// Converts the API's schemas to JSON Schema 2020-12, with references to named schemas.
import { z } from 'zod'
import type { Endpoint } from '../endpoint.ts'
import { answerSchemas, discriminators, forms, kindName, namelessSchemas, requestSchemas } from './named-schemas.ts'
import { rewritten } from './rewrite.ts'
import type { JsonSchema } from './shapes.ts'

export const binary: JsonSchema = { type: 'string', format: 'binary' }

/** With a name: RapiDoc treats the fields of an unnamed example as separate examples, and shows none. */
export const shown = (value: unknown) => ({ examples: { example: { value } } })

export const referenceTo = (name: string): string => `#/components/schemas/${name}`

/** The schemas of answers first, in reading order. */
export function componentSchemas(): Record<string, JsonSchema> {
  const { schemas: converted } = conversion()
  const named = (names: readonly string[]) => names.map(name => [name, bare(converted[name])] as const)
  return {
    ...Object.fromEntries(named(Object.keys(answerSchemas)).map(([name, schema]) => [name, answered(name, schema)])),
    ...Object.fromEntries(named(Object.keys(requestSchemas))),
    ...Object.fromEntries(forms.map(([name, form]) => [name, formSchema(form)])),
  }
}

/** A reference if the schema has a name. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { registry, schemas } = conversion()
  const id = registry.get(schema)?.id
  if (id === undefined) throw new TypeError('a schema that is not in the table has no place in the document')
  return id.startsWith(NAMELESS) ? bare(schemas[id]) : { $ref: referenceTo(id) }
}

const answered = (name: string, schema: JsonSchema): JsonSchema => ({
  ...rewritten(schema, openEnum),
  ...(name in discriminators && { discriminator: discriminatorOf(name as keyof typeof discriminators) }),
})

/** With an `enum`, a current client in Rust or Java could not read a message with a future value. */
function openEnum(node: JsonSchema): JsonSchema {
  const { enum: values, description, ...rest } = node
  if (!Array.isArray(values)) return node
  const list = `One of ${values.map(value => `\`${value}\``).join(', ')}; more may be added.`
  return { ...rest, 'x-extensible-enum': values, description: [list, description].filter(Boolean).join(' ') }
}

function discriminatorOf(name: keyof typeof discriminators): JsonSchema {
  const { propertyName, kinds, suffix } = discriminators[name]
  return {
    propertyName,
    mapping: Object.fromEntries(kinds.map(kind => [kind, referenceTo(kindName(kind, suffix))])),
  }
}

function formSchema({ fields, fileBytesMax, filesMax }: NonNullable<Endpoint['form']>): JsonSchema {
  const { properties, ...rest } = jsonSchemaOf(fields)
  const file: JsonSchema =
    filesMax === undefined
      ? { ...binary, description: `The file: at most ${fileBytesMax} bytes.` }
      : {
          type: 'array',
          items: binary,
          minItems: 1,
          maxItems: filesMax,
          description: `The files: at most ${fileBytesMax} bytes together.`,
        }
  return { ...rest, properties: { file, ...(properties as JsonSchema) }, required: ['file'] }
}

/** Cannot be the name of a schema. */
const NAMELESS = '-'

type Conversion = { registry: ReturnType<typeof registered>; schemas: Record<string, JsonSchema> }
let converted: Conversion | undefined

/** All in one pass: each conversion goes through all named schemas, and one per parameter took a third of a second. */
function conversion(): Conversion {
  if (converted) return converted
  const registry = registered()
  return (converted = { registry, schemas: convert(registry) })
}

function registered() {
  const registry = z.registry<{ id: string }>()
  for (const [at, schema] of namelessSchemas.entries()) registry.add(schema, { id: `${NAMELESS}${at}` })
  for (const [id, schema] of Object.entries({ ...answerSchemas, ...requestSchemas })) registry.add(schema, { id })
  return registry
}

function convert(registry: ReturnType<typeof registered>): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(registry, {
    uri: referenceTo,
    unrepresentable: 'any',
    override: ({ jsonSchema, zodSchema }) => {
      // Unknown fields in requests are ignored, and answers may get more fields in the future.
      if (zodSchema._zod.def.type === 'object') delete jsonSchema.additionalProperties
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return schemas
}

function bare(schema: JsonSchema = {}): JsonSchema {
  const { $schema: _, $id: __, ...rest } = schema
  return rewritten(rest, wideInteger)
}

/** Without a format a client uses 32 bits, which are too few for a time in milliseconds. */
const wideInteger = (node: JsonSchema): JsonSchema => (node['type'] === 'integer' ? { ...node, format: 'int64' } : node)
