// The needs of client generators and reference pages, each as a rule for the document.
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import {
  apiError,
  asOpenapi30,
  type Endpoint,
  endpoints,
  makeOpenapi,
  message,
  type OpenapiOperation,
  update,
} from '../src/index.ts'

type Tree = Record<string, unknown>
type MediaType = NonNullable<OpenapiOperation['requestBody']>['content'][string]

const document = makeOpenapi({ version: '1' })
const older = asOpenapi30(document)
const { schemas, responses } = document.components
const rows = Object.entries(endpoints) as [string, Endpoint][]
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ title: `${method} ${path}`, operation })),
)
const webhook = document.webhooks?.update.post as OpenapiOperation

/** Every object in a tree, with its path; examples are data, and not part of the document itself. */
function* nodesOf(value: unknown, at = ''): Generator<{ at: string; node: Tree }> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield { at, node: value as Tree }
  for (const [key, inner] of Object.entries(value)) if (key !== 'examples') yield* nodesOf(inner, `${at}/${key}`)
}
const nodes = [...nodesOf(document)]
const schemaNodes = nodes.filter(({ node }) => typeof node['type'] === 'string' && !('in' in node))
const nameless = (at: string) => !/^\/components\/schemas\/\w+$/.test(at)

test('[BOTAPI-3.1] every integer has 64 bits', () => {
  const integers = schemaNodes.filter(({ node }) => node['type'] === 'integer')
  expect(integers.filter(({ node }) => node['format'] !== 'int64')).toEqual([])
  expect(integers.map(({ at }) => at)).toEqual(
    expect.arrayContaining([
      '/components/schemas/Message/properties/ts',
      '/components/schemas/MessageUpdate/properties/id',
      '/components/responses/unavailable/headers/Retry-After/schema',
    ]),
  )
  expect(schemaNodes.filter(({ node }) => node['type'] === 'number')).toEqual([])
})

describe('[BOTAPI-3.2] a union', () => {
  const unions = [
    { name: 'Update', by: 'type', values: update.options.map(({ shape }) => shape.type.value as string) },
    { name: 'Notice', by: 'code', values: Object.keys(mappingOf('Notice')) },
  ]

  test.each(unions)('$name is told apart by $by, and each kind of it has a name', ({ name, by, values }) => {
    const mapping = mappingOf(name)
    expect(Object.keys(mapping)).toEqual(values)
    expect(schemas[name]).toMatchObject({
      discriminator: { propertyName: by },
      oneOf: Object.values(mapping).map($ref => ({ $ref })),
    })
    for (const [value, $ref] of Object.entries(mapping))
      expect(schemas[$ref.split('/').at(-1) ?? '']).toMatchObject({
        type: 'object',
        properties: { [by]: { const: value } },
        required: expect.arrayContaining([by]),
      })
  })

  test('of updates has the names that a program reads', () => {
    expect(mappingOf('Update')).toMatchObject({ message: '#/components/schemas/MessageUpdate' })
    expect(mappingOf('Notice')).toMatchObject({ call_declined: '#/components/schemas/CallDeclinedNotice' })
  })
})

function mappingOf(name: string): Record<string, string> {
  return (schemas[name]?.['discriminator'] as { mapping?: Record<string, string> } | undefined)?.mapping ?? {}
}

describe('[BOTAPI-3.3] names', () => {
  test('what callers send has that of its endpoint', () => {
    for (const [name, { body, form, method, path }] of rows) {
      if (!(body ?? form)) continue
      const content = document.paths[path]?.[method.toLowerCase()]?.requestBody?.content
      const request = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Request`
      expect(Object.values(content ?? {})[0]?.schema).toEqual({ $ref: `#/components/schemas/${request}` })
      expect(schemas[request]).toMatchObject({ type: 'object' })
    }
  })

  test('no object with fields is without', () => {
    const withFields = schemaNodes.filter(
      ({ at, node }) => Object.keys(node['properties'] ?? {}).length > 0 && nameless(at),
    )
    expect(withFields.map(({ at }) => at)).toEqual([])
  })

  test('none hides a type of a language, and none stands there twice', () => {
    const taken = new Set(['Error', 'File', 'Object', 'String', 'Date', 'Map', 'Set', 'Record', 'Option', 'Result'])
    expect(Object.keys(schemas).filter(name => taken.has(name))).toEqual([])
    const ids = [...operations.map(({ operation }) => operation.operationId), webhook.operationId]
    expect(new Set(ids).size).toBe(ids.length)
  })
})

test('[BOTAPI-3.4] no schema says nothing', () => {
  const said = nodes.filter(({ at }) => at.endsWith('/schema') || /\/(items|properties\/\w+)$/.test(at))
  const silent = said.filter(({ node }) => !['type', '$ref', 'oneOf', 'anyOf'].some(key => key in node))
  expect(silent).toEqual([])
  const contentOf = (path: string, method: string) => document.paths[path]?.[method]?.requestBody?.content
  const binary = { schema: { type: 'string', format: 'binary' } }
  expect(contentOf('/v1/me/avatar', 'put')).toEqual({ 'image/jpeg': binary, 'image/png': binary, 'image/webp': binary })
  expect(contentOf('/hooks/{secret}', 'post')).toMatchObject({
    'application/json': { schema: { type: 'object', additionalProperties: true } },
    'text/plain': { schema: { type: 'string' } },
  })
  const file = document.paths['/v1/chats/{chat}/messages/{msg}/file']?.['get']?.responses
  for (const status of ['200', '206'])
    expect(file?.[status]).toMatchObject({ content: { 'application/octet-stream': binary } })
})

test('[BOTAPI-3.5] everything says what it is, in few words and in whole sentences', () => {
  const summaries = operations.map(({ operation }) => operation.summary)
  expect(new Set(summaries).size).toBe(summaries.length)
  for (const { operationId, summary, description, parameters = [] } of [
    ...operations.map(({ operation }) => operation),
    webhook,
  ]) {
    expect(operationId).toMatch(/^[a-z]\w+$/)
    expect([operationId, summary.split(' ').length <= 5, /^[A-Z].*\w$/.test(summary)]).toEqual([
      operationId,
      true,
      true,
    ])
    for (const text of [description, ...parameters.map(parameter => parameter.description ?? '')])
      expect([operationId, text]).toEqual([operationId, expect.stringMatching(/\.$/)])
  }
  expect(webhook.operationId).toBe('receiveUpdate')
  const tags = document['tags'] as { name: string; description: string }[]
  expect(tags.map(({ name }) => name).toSorted()).toEqual([...new Set(rows.map(([, row]) => row.section))].toSorted())
  for (const { description } of tags) expect(description).toMatch(/^[A-Z].*\.$/)
})

test('[BOTAPI-3.6] no parameter is one that OpenAPI ignores', () => {
  const named = operations.flatMap(({ operation }) => (operation.parameters ?? []).map(({ name }) => name))
  expect(named).toContain('idempotency-key')
  expect(named.filter(name => /^(accept|content-type|authorization)$/i.test(name))).toEqual([])
})

test('[BOTAPI-3.7] answers have the headers that a program needs', () => {
  const headersOf = (answer: unknown) => Object.keys((answer as { headers?: object }).headers ?? {})
  const { get, head } = document.paths['/v1/chats/{chat}/messages/{msg}/file'] ?? {}
  const whole = ['ETag', 'Content-Disposition', 'Content-Length', 'Accept-Ranges']
  expect(headersOf(get?.responses['200'])).toEqual(whole)
  expect(headersOf(get?.responses['206'])).toEqual([...whole, 'Content-Range'])
  expect(headersOf(get?.responses['304'])).toEqual(['ETag'])
  expect(headersOf(get?.responses['416'])).toEqual(['Content-Range'])
  expect(headersOf(head?.responses['200'])).toEqual(whole)
  expect(head?.responses['200']).not.toHaveProperty('content')
  expect(head?.parameters?.map(({ name }) => name)).toEqual(['chat', 'msg', 'if-none-match', 'if-match'])
  expect(headersOf(responses['unavailable'])).toEqual(['Retry-After'])
  expect(headersOf(responses['unauthorized'])).toEqual(['WWW-Authenticate'])
})

test('[BOTAPI-3.8] what is answered may get more values, what is sent may not', () => {
  const isSent = (at: string) => /Request(\/|$)|\/schemas\/New|\/parameters\//.test(at)
  const closed = nodes.filter(({ node }) => Array.isArray(node['enum']))
  expect(closed.filter(({ at }) => !isSent(at)).map(({ at }) => at)).toEqual([])
  expect(closed.map(({ at }) => at)).toContain('/components/schemas/CreateHookRequest/properties/format')
  const open = nodes.filter(({ node }) => 'x-extensible-enum' in node)
  expect(open.map(({ at }) => at.replace('/components/schemas/', ''))).toEqual([
    'AskedJoin/properties/state',
    'Chat/properties/type',
    'Chat/properties/state',
    'Entity/properties/type',
    'FileInfo/properties/kind',
    'Message/properties/status',
    'Hook/properties/format',
    'Hook/properties/lang',
    'Hook/properties/last_result',
    'CreatedHook/properties/format',
    'CreatedHook/properties/lang',
    'ApiError/properties/code',
  ])
  for (const { node } of open) expect(node['description']).toMatch(/^One of `.*; more may be added\./)
  for (const name of ['Update', 'Notice'])
    expect(schemas[name]?.['description']).toMatch(/More (types|codes) may be added/)
})

const exampleIn = (content: MediaType | undefined) => content?.examples?.['example']?.value

describe('[BOTAPI-3.9] examples', () => {
  test.each(rows)('of %s keep its rules', (name, { method, path, body, upload, answer, answerType }) => {
    const operation = document.paths[path]?.[method.toLowerCase()]
    const sent = operation?.requestBody?.content['application/json']
    const given = operation?.responses['200'] as { content: Record<string, MediaType> }
    if (body) expect([name, body.safeParse(exampleIn(sent)).error]).toEqual([name, undefined])
    if (upload?.types.includes('application/json')) expect(exampleIn(sent)).toBeDefined()
    const [content] = Object.values(given.content)
    if (answerType === '*/*') expect(content).not.toHaveProperty('examples')
    // Strictly: an example with a field that does not exist would mislead readers.
    else expect(answer.parse(exampleIn(content))).toEqual(exampleIn(content))
  })

  test('of every error, with its code', () => {
    for (const [code, response] of Object.entries(responses)) {
      const { content } = response as { content: Record<string, MediaType> }
      expect(apiError.parse(exampleIn(content['application/json']))).toMatchObject({
        code,
        error: expect.stringMatching(/\.$/),
      })
    }
  })

  test('of an update that a webhook receives', () => {
    const example = update.parse(exampleIn(webhook.requestBody?.content['application/json']))
    expect(example.type === 'message' && message.parse(example.message).text).toEqual(expect.any(String))
  })
})

describe('[BOTAPI-3.10] in OpenAPI 3.0', () => {
  test('it is valid', async () => {
    const validator = new Validator()
    expect(await validator.validate(structuredClone(older) as Tree)).toMatchObject({ valid: true })
    expect(validator.version).toBe('3.0')
  })

  test('it has the same operations, schemas and names', () => {
    expect(Object.keys(older.components.schemas)).toEqual(Object.keys(schemas))
    const idsOf = ({ paths }: typeof document) =>
      Object.values(paths).flatMap(methods => Object.values(methods).map(({ operationId }) => operationId))
    expect(idsOf(older)).toEqual(idsOf(document))
    expect(older.components.schemas['MessageUpdate']).toMatchObject({ properties: { type: { enum: ['message'] } } })
    expect(older.components.schemas['Update']).toEqual(schemas['Update'])
  })

  test('it has nothing that is only in 3.1', () => {
    for (const { at, node } of nodesOf(older)) {
      const newer = ['const', 'webhooks', 'identifier', 'prefixItems', 'contentMediaType', '$defs', '$schema']
      expect([at, newer.filter(key => key in node)]).toEqual([at, []])
      // A field next to a reference would be ignored.
      if ('$ref' in node) expect([at, Object.keys(node)]).toEqual([at, ['$ref']])
      if ('type' in node && !at.endsWith('/properties')) expect([at, typeof node['type']]).toEqual([at, 'string'])
    }
  })
})
