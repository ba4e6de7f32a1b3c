// The linters of OpenAPI documents: ours passes (npm run check), and each fault is named by one of them.
import { makeOpenapi, type OpenapiDocument } from '@postern/bot-api'
import { expect, test } from 'vitest'
import { lintOpenapi } from '../openapi/lint-openapi.ts'

const document = makeOpenapi({ version: '1' })

const wrongBot = { schema: { $ref: '#/components/schemas/Bot' }, examples: { example: { value: { id: 5 } } } }
const faults: [path: string, change: object, complaint: RegExp][] = [
  ['/v1/me', { operationId: undefined }, /^redocly operation-operationId: .*v1~1me/],
  ['/v1/chats', { description: undefined }, /^spectral operation-description: .*v1\/chats/],
  ['/v1/hooks', { tags: ['Elsewhere'] }, /^spectral operation-tag-defined: .*v1\/hooks/],
  ['/v1/webhook', { responses: { 200: { $ref: '#/components/responses/none' } } }, /^redocly no-unresolved-refs: /],
  [
    '/healthz',
    { responses: { 200: { description: 'Done.', content: { 'application/json': wrongBot } } } },
    /^spectral oas3-valid-media-example: .*healthz/,
  ],
]

test('what is wrong with a document is said by one of both', async () => {
  const paths: OpenapiDocument['paths'] = structuredClone(document.paths)
  for (const [path, change] of faults) Object.assign(paths[path]?.['get'] ?? {}, change)
  const complaints = await lintOpenapi({ ...document, paths })
  for (const [, , complaint] of faults) expect(complaints).toContainEqual(expect.stringMatching(complaint))
})
