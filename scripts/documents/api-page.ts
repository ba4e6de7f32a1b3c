// Generates docs/api.md from the OpenAPI document: the same for people as GET /openapi.json for programs.
import {
  type ApiErrorCode,
  apiStatuses,
  makeOpenapi,
  type OpenapiDocument,
  type OpenapiOperation,
} from '@postern/bot-api'
import { apiLimits } from './api-limits.ts'
import { inlineSchemas } from './inline-schemas.ts'

export const apiPagePath = 'docs/api.md'

type Schema = {
  $ref?: string
  type?: string
  format?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: string[]
  const?: string
  oneOf?: Schema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  default?: unknown
}

const head = `# The HTTP API

<!-- Made by \`npm run api-page\`; \`npm run check\` fails when it is stale. -->

Requests and answers are JSON.
Every request carries \`Authorization: Bearer <BOT_TOKEN>\`, except where a token is not needed.

- Ids are strings, and times are Unix milliseconds. The id of a private chat is the other person's account id.
- Requests that return nothing answer \`{}\`.
- Unknown fields are ignored; \`null\` is the same as absent; lengths are counted in Unicode characters.
- Fields, types of updates and values of fields may be added: ignore those that you do not know.
- HEAD is answered wherever GET is, with the same headers and no body. A body that is not needed is ignored.

\`GET /openapi.json\` returns the same as an OpenAPI document, from which [clients are generated](clients.md).

In a group with several bots, a command like \`/start\` is addressed to none of them in particular: every bot gets it as
a \`message\`.
Its \`mentions\` tell whether it is addressed to one of them, if the sender's client has put them there.
You may ignore or answer a bare command that mentions nobody; the gateway's own hook commands run only if they mention
this bot.

An error is a status with \`{"error": "a sentence for you", "code": "bad_request"}\`:
`

export function makeApiPage(): string {
  const document = inlineSchemas(makeOpenapi({ version: '1' }))
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      // Described once for all of them, above.
      .filter(([method]) => method !== 'head')
      .map(([method, operation]) => ({ title: `${method.toUpperCase()} ${path}`, operation })),
  )
  const sections = [...new Set(operations.map(({ operation }) => operation.tags[0] ?? ''))].map(section =>
    [
      `## ${section} endpoints`,
      ...operations
        .filter(({ operation }) => operation.tags.includes(section))
        .map(({ title, operation }) => operationText(title, operation)),
    ].join('\n\n'),
  )
  return `${[`${head}\n${errorTable(document)}`, limitsText(), ...sections, webhookText(document), objectsText(document)].join('\n\n')}\n`
}

function errorTable({ components }: OpenapiDocument): string {
  const responses = components.responses as Record<ApiErrorCode, { description: string }>
  return table(
    ['Code', 'Status', 'When'],
    Object.entries(responses).map(([code, { description }]) => [
      `\`${code}\``,
      String(apiStatuses[code as ApiErrorCode]),
      description.replace(/^`\w+`: /, ''),
    ]),
  )
}

function operationText(title: string, operation: OpenapiOperation): string {
  const parameters = (operation.parameters ?? []).filter(parameter => parameter.in !== 'path')
  const body = operation.requestBody?.content
  const bodySchema = (body?.['application/json'] ?? body?.['multipart/form-data'])?.schema as Schema | undefined
  const hasFields = bodySchema?.properties !== undefined
  const isForm = body?.['multipart/form-data'] !== undefined
  const answer = operation.responses['200'] as { content: Record<string, { schema: Schema }> }
  const [answerType, { schema }] = Object.entries(answer.content)[0] ?? ['', { schema: {} }]
  return [
    `### ${title}`,
    sentenceLines(operation.description + (operation.security ? ' Needs no token.' : '')),
    ...(parameters.length > 0 ? [table(['Parameter', 'In', 'Type', 'Meaning'], parameters.map(parameterRow))] : []),
    ...(isForm ? ['The body is `multipart/form-data`, with its parts in any order.'] : []),
    ...(hasFields ? [table([isForm ? 'Form field' : 'Body field', 'Type', 'Meaning'], bodyRows(bodySchema))] : []),
    ...(body && !hasFields
      ? [`Body: the raw bytes (${Object.keys(body).join(', ')}). ${operation.requestBody?.description ?? ''}`]
      : []),
    `Answer: ${answerText(answerType, schema)}. Errors: ${errorsText(operation)}.`,
  ].join('\n\n')
}

/** One sentence per line, as in the other documents. */
const sentenceLines = (text: string): string => text.replaceAll(/(?<=\.) (?=[A-Z`\d])/g, '\n')

const errorsText = ({ responses }: OpenapiOperation): string =>
  Object.keys(responses)
    .filter(status => Number(status) >= 400)
    .join(', ')

function answerText(type: string, schema: Schema): string {
  if (type === 'application/octet-stream') return "the file's bytes, to GET; to HEAD only the headers"
  return type.startsWith('application/json') ? typeText(schema) : `text (\`${type}\`)`
}

const parameterRow = (parameter: NonNullable<OpenapiOperation['parameters']>[number]): string[] => {
  const schema = parameter.schema as Schema
  return [
    `\`${parameter.name}\``,
    parameter.in,
    typeText(schema),
    [parameter.description, limitText(schema)].filter(Boolean).join(' '),
  ]
}

const fieldTable = (title: string, schema: Schema): string =>
  table(
    [title, 'Type', 'Meaning'],
    Object.keys(schema.properties ?? {}).map(name => fieldRow(schema, { name, at: '' })),
  )

function fieldRow({ properties, required }: Schema, { name, at }: { name: string; at: string }): string[] {
  const field = properties?.[name] ?? {}
  return [
    `\`${at}${name}\`${required?.includes(name) ? '' : ', optional'}`,
    typeText(field),
    [field.description, limitText(field)].filter(Boolean).join(' '),
  ]
}

/** With the fields of array items: `buttons[][].text`. */
const bodyRows = (schema: Schema, at = ''): string[][] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    fieldRow(schema, { name, at }),
    ...itemRows(field.items, `${at}${name}[]`),
  ])

function itemRows(item: Schema | undefined, at: string): string[][] {
  if (!item) return []
  if (item.properties) return bodyRows(item, `${at}.`)
  const limits = limitText(item)
  const own = limits === '' ? [] : [[`\`${at}\``, typeText(item), limits]]
  return [...own, ...itemRows(item.items, `${at}[]`)]
}

function typeText(schema: Schema): string {
  if (schema.$ref) return link(schema.$ref.split('/').at(-1) ?? '')
  if (schema.const !== undefined) return `\`"${schema.const}"\``
  if (schema.enum) return schema.enum.map(value => `\`"${value}"\``).join(', ')
  if (schema.type === 'array') return `array of ${typeText(schema.items ?? {})}`
  if (schema.format === 'binary') return 'file'
  if (schema.type !== 'object') return schema.type ?? 'anything'
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) return '`{}`'
  const inside = fields.map(
    ([name, field]) => `\`${name}\`${schema.required?.includes(name) ? '' : '?'}: ${typeText(field)}`,
  )
  return `object (${inside.join(', ')})`
}

const link = (name: string): string => `[${name}](#${name.toLowerCase()})`

function limitText(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, default: standard } = schema
  const range = (min: number | undefined, max: number | undefined, unit: string) =>
    max === undefined ? [] : [min === undefined ? `At most ${max}${unit}.` : `${min} to ${max}${unit}.`]
  return [
    ...(minimum !== undefined && maximum === undefined ? [`From ${minimum} up.`] : range(minimum, maximum, '')),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' of them'),
    ...(pattern === undefined ? [] : [`Matches \`${pattern}\`.`]),
    ...(standard === undefined ? [] : [`By default ${JSON.stringify(standard)}.`]),
  ].join(' ')
}

const limitsText = (): string => `## Limits\n\n${table(['Subject', 'Limit'], apiLimits())}`

/** The requests that the gateway itself sends. */
function webhookText(document: OpenapiDocument): string {
  const { parameters = [], description } = document.webhooks?.update.post ?? { description: '' }
  const headers = parameters.map(header => [`\`${header.name}\``, header.description ?? ''])
  const text = sentenceLines(`${description} The body is an ${link('Update')}.`)
  return `## Webhook\n\n${text}\n\n${table(['Header', 'Meaning'], headers)}`
}

function objectsText({ components }: OpenapiDocument): string {
  const objects = Object.entries(components.schemas as Record<string, Schema>).map(([name, schema]) => {
    if (!schema.oneOf) return `### ${name}\n\n${fieldTable('Field', schema)}`
    return `### ${name}\n\n${name === 'Update' ? updateText(schema.oneOf) : kindsText(schema.oneOf)}`
  })
  return ['## Objects', ...objects].join('\n\n')
}

function updateText(kinds: Schema[]): string {
  const rows = kinds.map(({ properties = {} }) => {
    const payload = Object.keys(properties).find(field => !['id', 'chat_id', 'type'].includes(field)) ?? ''
    return [typeText(properties['type'] ?? {}), `\`${payload}\``, typeText(properties[payload] ?? {})]
  })
  const votes = 'A `poll` update has the message after one vote, or after several that came together.'
  const head = '`id` (integer), `chat_id` and `type`, and one field more:'
  return [head, table(['Type', 'Field', 'Payload'], rows), votes].join('\n\n')
}

/** Objects that differ by their `code`, each with its own fields. */
function kindsText(kinds: Schema[]): string {
  const rows = kinds.map(({ description = '', ...kind }) => {
    const { code = {}, ...properties } = kind.properties ?? {}
    return [typeText(code), typeText({ ...kind, properties }).replace(/^object \((.*)\)$/, '$1'), description]
  })
  return `\`code\`, and the fields that go with it:\n\n${table(['Code', 'Fields', 'Meaning'], rows)}`
}

const table = (titles: string[], rows: string[][]): string =>
  [titles, titles.map(() => '---'), ...rows].map(cells => `| ${cells.map(escapeBars).join(' | ')} |`).join('\n')

const escapeBars = (text: string): string => text.replaceAll('|', '\\|')
