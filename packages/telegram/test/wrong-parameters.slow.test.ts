// Every method with parameters of wrong types.
import { expect } from 'vitest'
import { methods } from '../src/methods/methods.ts'
import { test } from './telegram.ts'

const wrong = [true, {}, [], [[]], 'x', '', -1, 1e21, 0.5, Number.MAX_SAFE_INTEGER + 1, '\ud800', null, { a: { b: 1 } }]
const parameters = [
  ...[
    'chat_id',
    'text',
    'message_id',
    'reply_markup',
    'reply_parameters',
    'reply_to_message_id',
    'parse_mode',
    'entities',
  ],
  ...[
    'disable_notification',
    'offset',
    'limit',
    'allowed_updates',
    'callback_query_id',
    'message_ids',
    'options',
    'question',
  ],
  ...[
    'close_date',
    'reaction',
    'commands',
    'name',
    'description',
    'user_id',
    'title',
    'file_id',
    'from_chat_id',
    'url',
    'caption',
  ],
]

test('[TELEGRAM-6.2] each parameter of a wrong type, for each method: an answer in the shape of Telegram, never 500', async ({
  telegram,
  chat,
}) => {
  const { message_id: number } = await telegram.ok('sendMessage', { chat_id: chat, text: 'x' })
  const sound = {
    chat_id: chat,
    message_id: number,
    from_chat_id: chat,
    text: 'y',
    user_id: chat,
    question: 'q',
    options: ['a', 'b'],
  }
  const faults: unknown[] = []
  for (const method of Object.keys(methods).filter(name => name !== 'leaveChat')) {
    for (const [at, parameter] of parameters.entries()) {
      const value = wrong[(at + method.length) % wrong.length]
      const { status, body } = await telegram.call(method, { ...sound, timeout: 0, [parameter]: value })
      const isShaped = body.ok ? 'result' in body : body.error_code === status && typeof body.description === 'string'
      if (status >= 500 || !isShaped) faults.push([method, parameter, value, status, body])
    }
  }
  expect(faults).toEqual([])
})
