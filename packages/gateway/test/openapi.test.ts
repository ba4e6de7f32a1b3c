// The API's description of itself: valid, whole, and what the gateway really answers.

import { endpoints, makeOpenapi, type OpenapiDocument } from '@postern/protocol/bot-api'
import { World } from '@postern/testkit'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, onlineGateway } from './api.ts'

let world: World
let api: Api
let url: string
beforeAll(async () => {
  world = await World.start()
  const online = await onlineGateway(world)
  api = online.api
  url = online.gateway.url
})
afterAll(() => world.stop())

test('[R50] GET /openapi.json needs no token and is valid OpenAPI 3.1', async () => {
  const answer = await fetch(`${url}/openapi.json`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  const document = (await answer.json()) as Record<string, unknown>
  const validator = new Validator()
  expect(await validator.validate(document)).toMatchObject({ valid: true })
  expect(validator.version).toBe('3.1')
})

test('[R50] it has every endpoint of the table, and every reference in it leads somewhere', async () => {
  const document = (await (await api.get('/openapi.json')).json()) as OpenapiDocument
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
  expect(operations.toSorted()).toEqual(
    Object.values(endpoints)
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted(),
  )
  for (const [, path = ''] of JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g)) {
    const target = path.split('/').slice(1)
    const found = target.reduce<unknown>((at, part) => (at as Record<string, unknown>)?.[part], document)
    expect({ path, found }).toEqual({ path, found: expect.anything() })
  }
})

test('[R50] limits that callers must keep stand in it', () => {
  const { paths } = makeOpenapi({ version: '1' })
  const schema = paths['/v1/chats/{chat}/messages']?.['post']?.requestBody?.content['application/json']?.schema
  expect(schema).toMatchObject({
    required: ['text'],
    properties: { text: { type: 'string', minLength: 1, maxLength: 4096 }, reply_to: { type: 'string' } },
  })
  expect(paths['/v1/updates']?.['get']?.parameters).toContainEqual({
    name: 'limit',
    in: 'query',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 100 },
  })
})

test('[R50] a form, a file and its ranges are described', () => {
  const { paths } = makeOpenapi({ version: '1' })
  const form = paths['/v1/chats/{chat}/files']?.['post']?.requestBody?.content['multipart/form-data']?.schema
  expect(form).toMatchObject({
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
  expect(file?.responses['200']).toHaveProperty(['content', '*/*'])
  const message = paths['/v1/chats/{chat}/messages']?.['post']?.requestBody?.content['application/json']?.schema
  expect(message).toMatchObject({
    properties: { buttons: { maxItems: 3, items: { minItems: 1, maxItems: 2, items: { required: ['text'] } } } },
  })
})
