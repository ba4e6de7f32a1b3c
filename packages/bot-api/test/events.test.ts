// The one contract of events: values that do not compile, and values that are not updates.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  accountIdOf,
  type ChatEvent,
  chatIdOf,
  message,
  messageIdOf,
  type Notice,
  type OperatorEvent,
  type PeopleEvent,
  peopleUpdate,
  pressIdOf,
  update,
} from '../src/index.ts'

const from = { id: accountIdOf('a'.repeat(32)), name: 'Ada' }
const chat_id = chatIdOf('a'.repeat(32))
const message_id = messageIdOf('m'.repeat(32))
const press_id = pressIdOf('a'.repeat(26))
/** Checked by the compiler: an accepted wrong value fails the type check of `npm run check`. */
const compiles = <Value>(_value: Value): void => {}

const notices: { [Code in Notice['code']]: Extract<Notice, { code: Code }> } = {
  created: { code: 'created', from, text: 'Team' },
  joined: { code: 'joined', from, members: [from] },
  left: { code: 'left', from },
  removed: { code: 'removed', from, members: [from] },
  renamed: { code: 'renamed', from, text: 'Crew' },
  picture: { code: 'picture', from, removed: false },
  admins: { code: 'admins', from, members: [from], admin: true },
  timer: { code: 'timer', from, timer_ms: 0 },
  call_declined: { code: 'call_declined', from },
  undecryptable: { code: 'undecryptable', from },
  key_changed: { code: 'key_changed', from },
  refused: { code: 'refused', from, text: 'why' },
  restarted: { code: 'restarted', from },
  missing: { code: 'missing', from, count: 3 },
  forked: { code: 'forked', from },
  cut_off: { code: 'cut_off', from, members: [from] },
  mismatch: { code: 'mismatch', text: 'why' },
}
const noticed = (notice: object) => ({ id: 1, chat_id, type: 'notice', notice })

test('[BOTAPI-1.1] an event of an invented type, or with the payload of another, does not compile', () => {
  compiles<ChatEvent>({ type: 'deleted', chat_id, deleted: { message_id, from } })
  // @ts-expect-error -- there is no such type
  compiles<ChatEvent>({ type: 'renamed', chat_id })
  // @ts-expect-error -- the payload of another
  compiles<ChatEvent>({ type: 'deleted', chat_id, expired: [message_id] })
  // @ts-expect-error -- a field that nobody is told of
  compiles<ChatEvent>({ type: 'deleted', chat_id, deleted: { message_id, from, why: 'so' } })
  // @ts-expect-error -- its number is given by the journal
  compiles<ChatEvent>({ id: 1, type: 'expired', chat_id, expired: [message_id] })
  expect(update.safeParse({ id: 1, chat_id, type: 'renamed' }).success).toBe(false)
})

describe('[BOTAPI-1.2] a notice', () => {
  test('with a field too many or too few does not compile', () => {
    // @ts-expect-error -- a count is of `missing` alone
    compiles<Notice>({ code: 'left', from, count: 1 })
    // @ts-expect-error -- without its members
    compiles<Notice>({ code: 'joined', from })
    // @ts-expect-error -- there is no such code
    compiles<Notice>({ code: 'banned', from })
    // @ts-expect-error -- the field has another name
    compiles<Notice>({ code: 'timer', from, timer: 1 })
  })

  test.each(Object.values(notices))('$code has its fields, and needs them', notice => {
    expect(update.parse(noticed(notice))).toEqual(noticed(notice))
    for (const field of Object.keys(notice)) {
      const { [field]: _, ...rest } = notice as Record<string, unknown>
      expect(update.safeParse(noticed(rest)).success, `without ${field}`).toBe(false)
    }
  })
})

test('[BOTAPI-1.3] an id is a string outside, and of its kind inside', () => {
  // @ts-expect-error -- the id of a message is none of a chat
  compiles<ChatEvent>({ type: 'expired', chat_id: message_id, expired: [] })
  // @ts-expect-error -- any text is no id
  compiles<ChatEvent>({ type: 'expired', chat_id, expired: ['m'] })
  expect(z.toJSONSchema(message).properties).toMatchObject({ id: { type: 'string' }, chat_id: { type: 'string' } })
  expect(update.safeParse({ id: 1, chat_id: 'nowhere', type: 'expired', expired: [] }).success).toBe(false)
})

test('[BOTAPI-1.4] what only people get is no update of an operator', () => {
  // @ts-expect-error -- whoever tells of it has to say that it is for people
  compiles<OperatorEvent>({ type: 'call', chat_id, call: { from, state: 'ringing' } })
  compiles<PeopleEvent>({ type: 'call', chat_id, call: { from, state: 'ringing' } })
  for (const personal of [
    { type: 'receipt', receipt: { message_id, from, status: 'read' } },
    { type: 'call', call: { from, state: 'ringing' } },
    { type: 'toast', toast: { press_id, text: 'done' } },
  ]) {
    expect(peopleUpdate.safeParse({ id: 1, chat_id, ...personal }).success).toBe(true)
    expect(update.safeParse({ id: 1, chat_id, ...personal }).success).toBe(false)
  }
})
