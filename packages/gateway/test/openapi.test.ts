// The API's description: valid, complete, and equal to the real answers of the gateway.
import { readFileSync } from 'node:fs'
import { asOpenapi30, endpoints, makeOpenapi, type OpenapiDocument } from '@postern/bot-api'
import { gatewayLimits, hookLimits } from '@postern/protocol'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect } from 'vitest'
import { onlineGateway } from './api.ts'
import { complaintAbout } from './documented.ts'

const test = base
  .extend('online', { scope: 'file' }, ({ world }) => onlineGateway(world))
  .extend('api', { scope: 'file' }, ({ online }) => online.api)
  .extend('url', { scope: 'file' }, ({ online }) => online.gateway.url)

test('[GATEWAY-2.12] GET /openapi.json needs no token and is valid OpenAPI 3.1', async ({ url }) => {
  const answer = await fetch(`${url}/openapi.json`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  const document = (await answer.json()) as Record<string, unknown>
  const validator = new Validator()
  expect(await validator.validate(document)).toMatchObject({ valid: true })
  expect(validator.version).toBe('3.1')
})

test('[GATEWAY-2.22] ?version=3.0 is the same in OpenAPI 3.0, and a version that there is not is refused', async ({
  api,
}) => {
  const get = async (query: string) => (await (await api.get(`/openapi.json${query}`)).json()) as OpenapiDocument
  const [newer, older] = [await get('?version=3.1'), await get('?version=3.0')]
  expect([newer.openapi, await get('')]).toEqual(['3.1.1', newer])
  expect(older).toEqual(asOpenapi30(newer))
  for (const version of ['2.0', '3', '3.0.0', '4.0', '', '3.0&version=3.1']) {
    const refused = await api.get(`/openapi.json?version=${version}`)
    expect([version, refused.status]).toEqual([version, 400])
    expect(await refused.json()).toEqual({ code: 'bad_request', error: 'version: must be 3.0 or 3.1.' })
  }
})

test('[GATEWAY-2.12] it has every endpoint of the table, and every reference in it leads somewhere', async ({
  api,
}) => {
  const document = (await (await api.get('/openapi.json')).json()) as OpenapiDocument
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
  const rows = Object.values(endpoints).map(({ method, path }) => `${method} ${path}`)
  expect(operations.toSorted()).toEqual([...rows, 'HEAD /v1/chats/{chat}/messages/{msg}/file'].toSorted())
  for (const [, path = ''] of JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g)) {
    const target = path.split('/').slice(1)
    const found = target.reduce<unknown>((at, part) => (at as Record<string, unknown>)?.[part], document)
    expect({ path, found }).toEqual({ path, found: expect.anything() })
  }
})

test('[GATEWAY-2.12] limits that callers must keep stand in it', () => {
  const { paths, components } = makeOpenapi({ version: '1' })
  expect(components.schemas['SendMessageRequest']).toMatchObject({
    required: ['text'],
    properties: { text: { type: 'string', minLength: 1, maxLength: 4096 }, reply_to: { type: 'string' } },
  })
  expect(paths['/v1/updates']?.['get']?.parameters).toContainEqual({
    name: 'limit',
    in: 'query',
    required: false,
    description: 'How many at most.',
    schema: { type: 'integer', format: 'int64', minimum: 1, maximum: 100, default: 100 },
  })
})

test('[GATEWAY-2.14] whatever is answered in a test is compared with the document', async ({ api }) => {
  expect(await complaintAbout({ method: 'GET', path: '/v1/me', status: 200, json: await api.me() })).toBeUndefined()
  expect(await complaintAbout({ method: 'HEAD', path: '/v1/updates', status: 409 })).toBeUndefined()
  const wrong: [Parameters<typeof complaintAbout>[0], RegExp][] = [
    [{ method: 'GET', path: '/v1/me', status: 418 }, /^GET \/v1\/me 418: no such status/],
    [{ method: 'GET', path: '/v1/me', status: 404, json: { code: 'not_found' } }, /no such status/],
    [{ method: 'GET', path: '/v1/me', status: 503, json: { code: 'gone' } }, /the code gone is not/],
    [{ method: 'GET', path: '/v1/me', status: 200, json: { id: 'x' } }, /expected string/],
    [
      { method: 'GET', path: '/v1/me', status: 200, json: { ...(await api.me()), more: 1 } },
      /fields that the document/,
    ],
  ]
  for (const [seen, sentence] of wrong) expect(await complaintAbout(seen)).toMatch(sentence)
})

test('[GATEWAY-2.14] errors that only some endpoints have stand at those', () => {
  const { paths, components } = makeOpenapi({ version: '1' })
  const statuses = (path: string, method: string) => Object.keys(paths[path]?.[method]?.responses ?? {})
  expect(statuses('/v1/groups', 'post')).toContain('404')
  expect(statuses('/v1/hooks', 'post')).toContain('404')
  expect(statuses('/v1/hooks', 'get')).toContain('404')
  expect(statuses('/v1/updates', 'get')).toContain('409')
  expect(statuses('/v1/chats', 'get')).not.toContain('409')
  expect(statuses('/v1/chats/{chat}/accept', 'post')).toEqual(['200', '400', '401', '403', '404', '500', '503'])
  expect(statuses('/hooks/{secret}', 'post')).toEqual(['200', '400', '401', '404', '410', '500', '502'])
  expect(components.schemas['NewCommand']).toMatchObject({ required: ['name'] })
})

test('[GATEWAY-2.15] docs/api.md has the limits of what callers send and read', () => {
  const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8')
  const rows = [
    '| `commands` | array of object (`name`: string, `description`?: string, `args`?: string) | At most 100 of them. |',
    '| `commands[].name` | string | Matches `^[a-z0-9_]{1,32}$`. |',
    '| `commands[].description`, optional | string | At most 256 characters. |',
    '| `commands[].args`, optional | string | At most 32 characters. |',
    '| `buttons[]` | array of object (`text`: string, `data`?: string, `url`?: string) | 1 to 2 of them. |',
    ' change the direction of writing. 1 to 64 characters. |',
    '| `options` | array of string | 2 to 12 of them. |',
    '| `options[]` | string | 1 to 100 characters. |',
    `(image/jpeg, image/png, image/webp). At most ${gatewayLimits.avatarUploadBytesMax} bytes.`,
    `(application/json, text/plain). At most ${hookLimits.bodyBytesMax} bytes.`,
    `kept for 24 hours, at most ${gatewayLimits.updatesKeptMax}`,
  ]
  for (const row of rows) expect(page).toContain(row)
})

test('[GATEWAY-2.12] a form, a file and its ranges are described', () => {
  const { paths, components } = makeOpenapi({ version: '1' })
  expect(components.schemas['SendFileRequest']).toMatchObject({
    required: ['file'],
    properties: {
      file: { type: 'string', format: 'binary' },
      caption: { type: 'string', maxLength: 4096 },
      kind: { enum: ['photo', 'video', 'voice', 'file'] },
      duration_ms: { type: 'integer', minimum: 0 },
      width: { type: 'integer', minimum: 1, maximum: 100_000 },
    },
  })
  const file = paths['/v1/chats/{chat}/messages/{msg}/file']?.['get']
  expect(Object.keys(file?.responses ?? {})).toEqual(expect.arrayContaining(['200', '206', '404', '416', '503']))
  expect(components.schemas['SendMessageRequest']).toMatchObject({
    properties: { buttons: { maxItems: 3, items: { minItems: 1, maxItems: 2 } } },
  })
  expect(components.schemas['NewButton']).toMatchObject({ required: ['text'] })
})
