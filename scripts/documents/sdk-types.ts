// Generates the types and the table of operations of @postern/sdk from the table of endpoints.
import { type Endpoint, endpoints, makeOpenapi, type OpenapiOperation, type Parameter } from '@postern/bot-api'

export const sdkTypesPath = 'packages/sdk/src/api-types.ts'

export type Schema = {
  $ref?: string
  type?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: string[]
  'x-extensible-enum'?: string[]
  const?: string
  oneOf?: Schema[]
  anyOf?: Schema[]
}

/** In the SDK, `Bot` is the class of the program that runs. */
export const renamed: Readonly<Record<string, string>> = { Bot: 'Me' }

const document = makeOpenapi({ version: '1' })
export const schemas = document.components.schemas as Record<string, Schema>
const rows = Object.entries(endpoints) as [string, Endpoint][]

const literal = (value: unknown): string => `'${String(value).replaceAll("'", "\\'")}'`
const named = (reference: string): string => reference.replace(/^.*\//, '')
const comment = (text: string | undefined, indent: string): string =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`

/** `mayBeUndefined`: in requests an absent field may also be undefined. */
function typeOf(schema: Schema, mayBeUndefined: boolean): string {
  const values = schema.enum ?? schema['x-extensible-enum']
  if (schema.$ref !== undefined) return renamed[named(schema.$ref)] ?? named(schema.$ref)
  if (schema.const !== undefined) return literal(schema.const)
  if (values) return values.map(literal).join(' | ')
  const options = schema.oneOf ?? schema.anyOf
  if (options) return options.map(option => typeOf(option, mayBeUndefined)).join(' | ')
  // First: a list in a form is a text there, and the SDK writes it.
  if (schema.items) return listOf(typeOf(schema.items, mayBeUndefined))
  const fields = fieldsOf(schema, mayBeUndefined)
  if (fields.length > 0) return objectOf(fields)
  return (
    { string: 'string', integer: 'number', number: 'number', boolean: 'boolean' }[schema.type ?? ''] ?? emptyOf(schema)
  )
}

const emptyOf = ({ type }: Schema): string => (type === 'object' ? 'Record<string, never>' : 'unknown')
const listOf = (item: string): string => (/[ |]/.test(item) ? `(${item})[]` : `${item}[]`)

type Field = { name: string; type: string; isRequired: boolean; description?: string | undefined }

function fieldsOf({ properties = {}, required = [] }: Schema, mayBeUndefined: boolean): Field[] {
  return Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name)
    const type = `${typeOf(schema, mayBeUndefined)}${mayBeUndefined && !isRequired ? ' | undefined' : ''}`
    return { name, isRequired, type, description: schema.description }
  })
}

function objectOf(fields: readonly Field[], indent = '  '): string {
  if (fields.length === 0) return 'Record<never, never>'
  const lines = fields.map(
    ({ name, type, isRequired, description }) =>
      `${comment(description, indent)}${indent}${name}${isRequired ? '' : '?'}: ${type}\n`,
  )
  return `{\n${lines.join('')}${indent.slice(2)}}`
}

/** The objects that answers name, directly or through other objects, in the order of the document. */
export function schemasOfAnswers(): string[] {
  const found = reached(name => [operationOf(name).responses[200]])
  return Object.keys(schemas).filter(name => found.has(name))
}

/** The objects that these parts of all operations name, directly or through other objects. */
function reached(partsOf: (name: string) => unknown[]): Set<string> {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { $ref } = value as Schema
    const name = $ref === undefined ? undefined : named($ref)
    if (name !== undefined && !found.has(name)) visitNamed(name)
    for (const inner of Object.values(value)) visit(inner)
  }
  const visitNamed = (name: string): void => {
    found.add(name)
    visit(schemas[name])
  }
  for (const [name] of rows) visit(partsOf(name))
  return found
}

function operationOf(name: string): OpenapiOperation {
  const operations = Object.values(document.paths).flatMap(path => Object.values(path))
  const operation = operations.find(({ operationId }) => operationId === name)
  if (!operation) throw new Error(`the document has no operation ${name}`)
  return operation
}

const schemaIn = (part: unknown): Schema => {
  const { content = {} } = part as { content?: Record<string, { schema: Schema }> }
  return Object.values(content)[0]?.schema ?? {}
}

/** Path, query and body in one object. */
function paramsOf(name: string, { upload, form }: Endpoint): Field[] {
  const { parameters = [], requestBody } = operationOf(name)
  const outside = parameters
    .filter(({ in: place }) => place !== 'header')
    .map(({ name: field, required, schema, description }: Parameter) => ({
      name: field,
      isRequired: required,
      type: `${typeOf(schema as Schema, true)}${required ? '' : ' | undefined'}`,
      description,
    }))
  if (upload)
    return [
      ...outside,
      { name: 'type', isRequired: true, type: upload.types.map(literal).join(' | ') },
      { name: 'file', isRequired: true, type: 'FileSource' },
    ]
  const body = schemaIn(requestBody ?? {})
  const fields = fieldsOf(body.$ref === undefined ? body : (schemas[named(body.$ref)] ?? {}), true)
  if (!form) return [...outside, ...fields]
  const file =
    form.filesMax === undefined
      ? [
          { name: 'file', isRequired: true, type: 'FileSource' },
          { name: 'name', isRequired: false, type: 'string | undefined', description: 'The name of the file.' },
        ]
      : [
          {
            name: 'files',
            isRequired: true,
            type: 'NamedFile[]',
            description: `1 to ${form.filesMax}, in their order.`,
          },
        ]
  return [...outside, ...file, ...fields.filter(field => field.name !== 'file')]
}

const isStream = ({ answerType }: Endpoint): boolean => answerType === '*/*' || answerType === 'text/event-stream'

function answerOf(name: string, endpoint: Endpoint): string {
  if (isStream(endpoint)) return 'Download'
  return endpoint.answerType === undefined ? typeOf(schemaIn(operationOf(name).responses[200]), false) : 'string'
}

function typeEntry([name, endpoint]: [string, Endpoint]): string {
  const params = objectOf(paramsOf(name, endpoint), '      ')
  return `${comment(endpoint.description, '  ')}  ${name}: {\n    params: ${params}\n    answer: ${answerOf(name, endpoint)}\n  }\n`
}

function tableEntry([name, endpoint]: [string, Endpoint]): string {
  const { method, path, query, headers, body, upload, form } = endpoint
  const request = form ? 'form' : upload ? 'bytes' : body ? 'json' : 'none'
  const answer = isStream(endpoint) ? 'stream' : endpoint.answerType === undefined ? 'json' : 'text'
  const fields = [
    `method: ${literal(method)}`,
    `path: ${literal(path)}`,
    `query: [${Object.keys(query?.shape ?? {})
      .map(literal)
      .join(', ')}]`,
    `request: ${literal(request)}`,
    `answer: ${literal(answer)}`,
    `keyed: ${Object.hasOwn(headers?.shape ?? {}, 'idempotency-key')}`,
  ]
  return `  ${name}: { ${fields.join(', ')} },\n`
}

export function makeSdkTypes(): string {
  const names = reached(name => [operationOf(name).responses[200], operationOf(name).requestBody])
  // The bodies of requests are part of the parameters.
  const bodies = new Set(rows.map(([name]) => named(schemaIn(operationOf(name).requestBody ?? {}).$ref ?? '')))
  const types = Object.keys(schemas)
    .filter(name => names.has(name) && !bodies.has(name))
    .map(name => {
      const { description, ...schema } = schemas[name] ?? {}
      const type = typeOf(schema, name.startsWith('New'))
      return `${comment(description, '')}export type ${renamed[name] ?? name} = ${type}\n`
    })
  return [
    '// Written by `npm run sdk-types` from the table of endpoints in packages/bot-api: do not edit.\n',
    "import type { Download, FileSource, NamedFile } from './files.ts'\n\n",
    types.join('\n'),
    '\n/** By the name of an operation: its parameters (of path, query and body) and its answer. */\n',
    `export type Operations = {\n${rows.map(typeEntry).join('')}}\n`,
    '\nexport const operations = {\n',
    `${rows.map(tableEntry).join('')}} as const\n`,
  ].join('')
}
