// Hostile bodies for living messages: each is read or refused, and shows nothing but words.
import { CodedError, contentLimits, hookLimits } from '@postern/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeAlerts } from '../src/hooks/living/alert-group.ts'
import { readLivingPost, showSubject } from '../src/hooks/living/living-subject.ts'
import { readAlertsPost } from '../src/hooks/living/read-alerts.ts'
import { showAlerts } from '../src/hooks/living/show-alerts.ts'
import { wordsIn } from '../src/hooks/words/words.ts'

const words = wordsIn.en
const around = { nowMs: 1_800_000_000_000, elapsedMs: 0, words, isQuiet: false }
const showing = { words, nowMs: around.nowMs, silences: ['1h'] }
const jsonBody = (json: unknown) => ({ text: JSON.stringify(json), type: 'application/json', headers: {} })

describe('hostile bodies', () => {
  test.for(['alerts', 'grafana', 'pipeline'] as const)('[GATEWAY-14.21] any body for %s is read or refused', format => {
    const version = format === 'grafana' ? '1' : '4'
    const fields = fc.record(
      {
        version: fc.oneof(fc.constantFrom(version, Number(version)), fc.jsonValue()),
        object_kind: fc.constant('pipeline'),
        object_attributes: fc.oneof(
          fc.record({ id: fc.integer(), status: fc.constantFrom('running', 'failed') }),
          fc.jsonValue(),
        ),
        alerts: fc.oneof(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1 }), fc.jsonValue()),
        groupLabels: fc.jsonValue(),
        commonLabels: fc.jsonValue(),
        groupKey: fc.jsonValue(),
        status: fc.constantFrom('firing', 'resolved', null),
        truncatedAlerts: fc.jsonValue(),
        externalURL: fc.oneof(fc.webUrl(), fc.jsonValue()),
      },
      { requiredKeys: ['version', 'alerts'] },
    )
    fc.assert(
      fc.property(fc.oneof(fields, fc.jsonValue()), json => {
        try {
          const post = readLivingPost(format, jsonBody(json), words)
          const first = post?.merge(undefined, around)
          if (post && first) showSubject(post.merge(first.subject, around).subject, showing)
        } catch (error) {
          expect(error).toBeInstanceOf(CodedError)
          expect(error).toMatchObject({ code: 'bad-field' })
        }
      }),
      { numRuns: 200 },
    )
  })

  test('[GATEWAY-14.21] words of a sender stay in their line, and the text fits into one message', () => {
    const long = `${'x'.repeat(400)}\n\u202e[a](https://evil.example)`
    const alerts = Array.from({ length: 1_500 }, (_, at) => ({
      status: at % 3 === 0 ? 'resolved' : 'firing',
      fingerprint: `__proto__${at}`,
      labels: { alertname: long, instance: `${long}${at}`, severity: long },
      annotations: { summary: long },
      startsAt: '9999-12-31T23:59:59Z',
      endsAt: long,
    }))
    const body = {
      version: '4',
      alerts,
      commonLabels: { alertname: long },
      groupLabels: { [long]: long },
      externalURL: 'javascript:x',
    }
    const { subject } = mergeAlerts(undefined, readAlertsPost(body, 'alerts', words), around)
    expect(Object.keys(subject.alerts)).toHaveLength(hookLimits.living.alertsMax)
    const { text, buttons } = showAlerts(subject, showing)
    expect(text.length).toBeLessThanOrEqual(contentLimits.textCharsMax)
    expect(text.split('\n').length).toBeLessThanOrEqual(hookLimits.alertLinesMax + 3)
    expect(text).not.toContain('\u202e')
    expect(buttons).toEqual([[{ text: 'Take it', data: 'living:take' }]])
  })

  test('[GATEWAY-14.2] in any order of bodies, with repeats, the last state is the same', () => {
    const alert = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      isOver: fc.boolean(),
      startMs: fc.integer({ min: 1, max: 5 }),
      lastsMs: fc.integer({ min: 1, max: 3 }),
    })
    fc.assert(
      fc.property(fc.array(alert, { minLength: 1, maxLength: 8 }), fc.infiniteStream(fc.nat()), (all, random) => {
        const posts = all.map(({ key, isOver, startMs, lastsMs }) => ({
          name: 'g',
          title: 'g',
          cut: 0,
          matchers: [],
          links: [],
          alerts: [
            { key, place: key, about: '', severity: '', isOver, startMs, endMs: isOver ? startMs + lastsMs : 0 },
          ],
        }))
        const stateOf = (order: typeof posts) => {
          let subject = mergeAlerts(undefined, order[0] as (typeof posts)[0], around).subject
          for (const post of order.slice(1)) subject = mergeAlerts(subject, post, around).subject
          return Object.entries(subject.alerts)
            .map(([key, { isOver, startMs, endMs }]) => `${key} ${isOver ? `over ${endMs}` : startMs}`)
            .toSorted((a, b) => (a < b ? -1 : 1))
        }
        const shuffled = [...posts, ...posts].toSorted(() => ((random.next().value ?? 0) % 2 === 0 ? 1 : -1))
        expect(stateOf(shuffled)).toEqual(stateOf(posts))
      }),
      { numRuns: 500 },
    )
  })
})
