// The fuzz sees every fault of an answer: each is planted once.
import { expect, test } from 'vitest'
import { answerFault } from '../src/fuzz/judge-answer.ts'

const json = new Map([['content-type', 'application/json; charset=utf-8']])
const refusal = (status: number, body: object | string, headers = json) => ({
  status,
  headers,
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})
const at = (name: 'createGroup' | 'postHook' | 'health' | undefined) => ({ name, isHead: false })
const right = { error: 'name: must have 1 to 128 characters.', code: 'bad_request' }

test('an answer as documented is right', () => {
  expect(answerFault(refusal(400, right), at('createGroup'))).toBeUndefined()
  expect(answerFault(refusal(200, {}), at('health'))).toBeUndefined()
  expect(answerFault(refusal(502, { error: 'Try again.', code: 'unavailable' }), at('postHook'))).toBeUndefined()
})

const telegram = { name: 'telegram call', isHead: false } as const
const refusedThere = { ok: false, error_code: 400, description: 'Bad Request: chat not found' }

test('an answer in the shape of Telegram is right, for a call and for an address that may be one', () => {
  expect(answerFault(refusal(400, refusedThere), telegram)).toBeUndefined()
  expect(answerFault(refusal(400, refusedThere), at(undefined))).toBeUndefined()
  expect(answerFault(refusal(200, { ok: true, result: [] }), telegram)).toBeUndefined()
  expect(answerFault(refusal(206, 'bytes', new Map()), { name: 'telegram file', isHead: false })).toBeUndefined()
})

test.each([
  ['500', refusal(500, { ...refusedThere, error_code: 500 }), /500/],
  ['a status that it does not have', refusal(418, { ...refusedThere, error_code: 418 }), /418/],
  ['no JSON', refusal(400, '<html>', new Map([['content-type', 'text/html']])), /text\/html/],
  ['an error of the other API', refusal(400, right), /no answer of the Telegram/],
  ['another code in the body', refusal(400, { ...refusedThere, error_code: 401 }), /no answer of the Telegram/],
  ['a refusal with 200', refusal(200, refusedThere), /no answer of the Telegram/],
  ['no result', refusal(200, { ok: true }), /no answer of the Telegram/],
  ['a trace', refusal(400, { ...refusedThere, description: 'Error at run (file.ts:1:2)' }), /sentence/],
])('%s is a fault of the Telegram Bot API', (_, answer, fault) => {
  expect(answerFault(answer, telegram)).toMatch(fault)
})

test.each([
  ['500', refusal(500, { error: 'A fault.', code: 'internal' }), /500/],
  ['a status that the endpoint does not document', refusal(409, { error: 'It is.', code: 'webhook' }), /409/],
  ['no JSON', refusal(400, '<html>', new Map([['content-type', 'text/html']])), /text\/html/],
  ['no type at all', refusal(400, right, new Map()), /type/],
  ['a body without a code', refusal(400, { error: 'No.' }), /no documented error/],
  [
    'a code that belongs to another status',
    refusal(400, { error: 'No.', code: 'not_found' }),
    /not_found was answered by 400/,
  ],
  ['a trace', refusal(400, { error: 'Error at run (file.ts:1:2).', code: 'bad_request' }), /sentence/],
  ['content that is not as documented', refusal(200, { id: 5 }), /not as documented/],
])('%s is a fault', (_, answer, fault) => {
  expect(answerFault(answer, at('createGroup'))).toMatch(fault)
})
