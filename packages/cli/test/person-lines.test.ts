// Lines for programs that split at every kind of line end, and for terminals that obey control characters.
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { privateChatId } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { answeredLine } from '../src/demo/demo-screen.ts'
import { readPersonSettings } from '../src/person/person-settings.ts'
import { livePerson } from '../src/person/run-person.ts'
import { terminalLog } from '../src/terminal-log.ts'

/** The line ends of Python's `splitlines` and Node's `readline`, together. */
// oxlint-disable-next-line no-control-regex -- these are the signs that are looked for
const anyLineEnd = /\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/
/** None of these may reach a terminal. */
const obeyed = /(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u

test('[CLI-2.17] every event and every answer is one line for whoever splits it, and commands no terminal', async ({
  world,
  alice,
}) => {
  const streams = { input: new PassThrough(), output: new PassThrough(), errors: new PassThrough() }
  let output = ''
  streams.output.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  const settings = { directory: join(world.directory, 'bob'), relayUrl: world.relayUrl, name: 'bob' }
  const bob = livePerson({ ...settings, acceptRequests: 'all' }, { streams, stop: new AbortController().signal })
  const hostile = 'one\u2028two\u2029three\u0085four\u001b[2J\u009b2J\u007f\u202eenif\u2066\n\v\fend'
  const open = JSON.stringify({ id: hostile, do: 'open', account: alice.id, text: hostile })
  streams.input.write(`${open}\n`)
  const heard = await alice.hears(hostile)
  await alice.client.messages.sendText(privateChatId(heard.from.id), { text: hostile }, WITHIN)
  await expect.poll(() => output).toContain('"event":"message"')
  streams.input.end()
  await bob
  expect(output).not.toMatch(obeyed)
  const lines = output.split(anyLineEnd).filter(line => line !== '')
  const values = lines.map(line => JSON.parse(line) as { id?: string; message?: { text: string } })
  expect(values.find(value => value.id !== undefined && !('event' in value))?.id).toBe(hostile)
  expect(values.find(value => value.message)?.message?.text).toBe(hostile)
})

test('[CLI-2.18] warnings, and what the demo says of people, are one line that commands no terminal', async () => {
  const stream = new PassThrough()
  const said = text(stream)
  terminalLog(stream).warn({ error: 'a\u2028b\u009b2J' }, 'the relay says\u001b[2J\nforged: line')
  stream.write(answeredLine('al\u001b[2Jice\u202e\nbob'))
  stream.write(answeredLine('\u200b'))
  stream.end()
  const lines = (await said).split('\n')
  expect(lines).toEqual([
    'the relay says[2J forged: line {"error":"a\\u2028b\\u009b2J"}',
    '  ↩ answered al[2Jice bob',
    '  ↩ answered somebody',
    '',
  ])
})

test.each([
  { logLevel: undefined, printed: ['c {"chat":"x"}', 'd', ''] },
  { logLevel: 'debug', printed: ['a', 'b', 'c {"chat":"x"}', 'd', ''] },
])('[CLI-3.4] with LOG_LEVEL $logLevel the log prints $printed', async ({ logLevel, printed }) => {
  const stream = new PassThrough()
  const said = text(stream)
  const log = terminalLog(stream, logLevel)
  log.debug({}, 'a')
  log.info({}, 'b')
  log.warn({ chat: 'x' }, 'c')
  log.error({}, 'd')
  stream.end()
  expect((await said).split('\n')).toEqual(printed)
})

test.each([
  ['a line break', 'two\nlines', /^--name: must not contain line breaks/],
  ['an override', 'al\u202eice', /^--name: .*direction of text/],
  ['nothing that is seen', '\u200b', /^--name: must not be blank/],
  ['nothing', '', /^--name: must have 1 to 64 characters/],
])('[CLI-2.19] a name with %s is refused with the rule', (_, name, sentence) => {
  expect(() => readPersonSettings(['--data', 'x', '--name', name])).toThrow(sentence)
})
