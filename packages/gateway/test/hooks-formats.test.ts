// The plan of each format for a post and its memory, as values: no hook, no chat, no clock.
import { hookFormat } from '@postern/bot-api'
import { commandArgsFault, hookLimits, type MessageId } from '@postern/protocol'
import { expect, test } from 'vitest'
import { formats } from '../src/hooks/formats/formats.ts'
import { shownChoices } from '../src/hooks/words/choices.ts'
import { wordsIn } from '../src/hooks/words/words.ts'

const NOW_MS = 1_000_000
const message = 'm1' as MessageId
const json = (value: object) => ({ text: JSON.stringify(value), type: 'application/json' })

const alert = (status: 'firing' | 'resolved') =>
  formats.alerts.read(
    json({ version: '4', groupKey: 'g', status, commonLabels: { alertname: 'Load' }, alerts: [{ status }] }),
    wordsIn.ru,
  )
const run = (status: string, id?: number) =>
  formats.pipeline.read(json({ object_kind: 'pipeline', object_attributes: { id, ref: 'main', status } }), wordsIn.ru)

/** The stored state of the subject once the plan is executed. */
function keptBy(format: keyof typeof formats, post: ReturnType<typeof alert>, past?: object) {
  const plan = post.plan(past as Record<string, unknown> | undefined, NOW_MS)
  if (plan.kind === 'skip' || !plan.becomes) return undefined
  return formats[format].kept(plan.becomes, { message, saidMs: NOW_MS, past: past as Record<string, unknown> })
}

test('[GATEWAY-10.11] alerts: the same group in the same state is silent for a minute, and known to be the same', () => {
  const kept = keptBy('alerts', alert('firing'))
  const again = (afterMs: number) => alert('firing').plan(kept, NOW_MS + afterMs).kind
  expect([again(0), again(hookLimits.duplicateWithinMs - 1), again(hookLimits.duplicateWithinMs)]).toEqual([
    'skip',
    'skip',
    'write',
  ])
  const plan = alert('firing').plan(undefined, NOW_MS)
  const becomes = plan.kind === 'write' ? (plan.becomes ?? {}) : {}
  expect([alert('firing').isSaid(becomes), alert('resolved').isSaid(becomes)]).toEqual([true, false])
})

test('[GATEWAY-10.10] alerts: a resolution replies to the message that fires, and keeps it', () => {
  const kept = keptBy('alerts', alert('firing'))
  expect(kept).toMatchObject({ message })
  const title = '✅ Устранено: Load, 1 срабатывание'
  expect(alert('resolved').plan(kept, NOW_MS)).toMatchObject({ inReply: { to: message, text: title } })
  expect(alert('resolved').plan(undefined, NOW_MS)).not.toHaveProperty('inReply')
  expect(keptBy('alerts', alert('resolved'), kept)).toMatchObject({ message })
})

test('[GATEWAY-10.13] pipeline: a success is written after a failure, and not one from before it', () => {
  const broken = keptBy('pipeline', run('failed', 5))
  expect(broken).toEqual({ failed: 5 })
  const kinds = [run('success', 6), run('success', 4), run('success')].map(post => post.plan(broken, NOW_MS).kind)
  expect(kinds).toEqual(['write', 'skip', 'write'])
  expect(run('success', 6).plan(undefined, NOW_MS).kind).toBe('skip')
  expect([keptBy('pipeline', run('success', 6), broken), keptBy('pipeline', run('canceled', 6), broken)]).toEqual([
    undefined,
    undefined,
  ])
})

test('[GATEWAY-10.6] when the same body is a repeat: a text within seconds, a run with a number for longer', () => {
  const { text, run: runMs } = hookLimits.repeatWithinMs
  const words = formats.text.read({ text: 'hi', type: 'text/plain' }, wordsIn.ru)
  expect([words, run('failed'), run('failed', 1), alert('firing')].map(({ repeat }) => repeat)).toEqual([
    { withinMs: text, isOneEvent: false },
    { withinMs: text, isOneEvent: false },
    { withinMs: runMs, isOneEvent: true },
    { withinMs: 0, isOneEvent: false },
  ])
})

test('[GATEWAY-10.12] what is no news is silent, about nothing, and says so', () => {
  const post = run('running', 1)
  expect([post.isNews, post.subject, post.plan(undefined, NOW_MS)]).toEqual([
    false,
    undefined,
    { kind: 'skip', why: 'it is no news' },
  ])
})

test('[GATEWAY-10.10] every format of the API remembers on a shelf of its own, under the name that it is stored by', () => {
  expect(Object.keys(formats).toSorted()).toEqual([...hookFormat.options].toSorted())
  expect(Object.values(formats).map(({ storageKey: shelf }) => shelf)).toEqual([
    'group',
    'run',
    undefined,
    undefined,
    'grafana',
    'monitor',
    'workflow',
    'deployment',
    'metric',
    undefined,
    undefined,
  ])
})

test('[GATEWAY-10.28] the command shows as many formats as fit, however many there are and however long their names', () => {
  const three = ['alerts', 'pipeline', 'text']
  expect(shownChoices(three)).toBe('alerts | pipeline | text')
  expect(shownChoices([...three, 'uptime-monitor'])).toBe('alerts | pipeline | text | …')
  const long = Array.from({ length: 40 }, (_, at) => `format-${at}`)
  expect(shownChoices(long)).toBe('format-0 | format-1 | …')
  expect(shownChoices(['a'.repeat(40), 'b'])).toBe('…')
  for (let count = 1; count <= long.length; count++)
    expect(commandArgsFault(shownChoices(long.slice(0, count)))).toBeUndefined()
})
