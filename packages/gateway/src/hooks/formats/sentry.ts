// The format `sentry`: alerts and new issues of a Sentry integration.
import { hookLimits, type MessageId } from '@postern/protocol'
import { oneLine } from '../texts/clean.ts'
import type { GatewayWords } from '../words/words.ts'
import { type EventText, eventText, firstOf, objectBody } from './event-text.ts'
import { fieldsOf, type PostFields } from './fields.ts'
import { defineFormat, type FormatPlan, oneEvent } from './format.ts'
import { type PostBody, readJson } from './post-body.ts'
import { signatureIn } from './proofs.ts'

type Words = GatewayWords['sentry']

/** `subject`: a metric that is watched, in its present state. */
export type SentryEvent = { text: string; subject?: string; state?: 'alarm' | 'resolved' }

/** The newest message about a metric in alarm. */
type Kept = { message: MessageId }
type Becomes = { becomes: 'alarm' | 'resolved' }

export const sentry = defineFormat({
  proof: signatureIn('Sentry-Hook-Signature', { prefix: '' }),
  delivery: ({ headers = {} }) => headers['request-id'],
  read: (body, words) => readSentry(body, words.sentry),
  repeat: () => oneEvent,
  plan: planSentry,
  remember: {
    storageKey: 'metric',
    bounds: hookLimits.groups,
    subject: ({ subject = '' }) => subject,
    kept: ({ becomes }: Becomes, { message }): Kept | undefined => (becomes === 'alarm' ? { message } : undefined),
  },
})

function planSentry({ text, state }: SentryEvent, past: Kept | undefined): FormatPlan<Becomes> {
  if (state === undefined) return { kind: 'write', text }
  switch (state) {
    case 'alarm':
      return { kind: 'write', text, becomes: { becomes: 'alarm' } }
    case 'resolved': {
      const inReply = past && { inReply: { to: past.message, text } }
      return { kind: 'write', text, ...inReply, becomes: { becomes: 'resolved' }, silent: true }
    }
  }
}

/** Undefined for events that are not written. */
export function readSentry(post: PostBody, words: Words): SentryEvent | undefined {
  const body = objectBody(readJson(post))
  const data = fieldsOf(body['data'])
  switch (post.headers?.['sentry-hook-resource'] ?? resourceOf(data)) {
    case undefined:
      return undefined
    case 'event_alert':
      return { text: eventText(eventAlert(data, words)) }
    case 'metric_alert':
      return metricAlert(body['action'], data, words)
    case 'issue':
      return body['action'] === 'created' ? { text: eventText(newIssue(data, words)) } : undefined
    default:
      return undefined
  }
}

/** For proxies that drop the header. */
function resourceOf(data: PostFields): string | undefined {
  if (data['event'] !== undefined) return 'event_alert'
  if (data['metric_alert'] !== undefined) return 'metric_alert'
  return data['issue'] === undefined ? undefined : 'issue'
}

function eventAlert({ event, triggered_rule: rule }: PostFields, words: Words): EventText {
  const { title, culprit, web_url: link, environment, tags } = fieldsOf(event)
  const place = [oneLine(culprit), firstOf(environment, tagOf(tags, 'environment'))].filter(word => word !== '')
  const name = oneLine(rule)
  return {
    title: { text: `🐞 ${oneLine(title) || words.untitled}` },
    about: [place.join(' · '), name && words.rule(name)],
    link,
  }
}

/** Tags are pairs. */
function tagOf(tags: unknown, name: string): unknown {
  if (!Array.isArray(tags)) return undefined
  const pair: unknown = tags.find(tag => Array.isArray(tag) && tag[0] === name)
  return Array.isArray(pair) ? pair[1] : undefined
}

const signs: Readonly<Record<string, string>> = { critical: '🔴', warning: '🟡', resolved: '🟢' }

function metricAlert(action: unknown, data: PostFields, words: Words): SentryEvent | undefined {
  if (typeof action !== 'string' || !Object.hasOwn(signs, action)) return undefined
  const { description_title: title, description_text: description, web_url: link, metric_alert: alert } = data
  const { id, title: name } = fieldsOf(alert)
  const shown = firstOf(title, name) || words.untitled
  const text = eventText({ title: { text: `${signs[action]} ${shown}` }, about: [oneLine(description)], link })
  const subject = JSON.stringify(typeof id === 'string' || typeof id === 'number' ? id : shown)
  return { text, subject, state: action === 'resolved' ? 'resolved' : 'alarm' }
}

function newIssue({ issue }: PostFields, words: Words): EventText {
  const { title, culprit, shortId, project, web_url: web, permalink } = fieldsOf(issue)
  const place = [oneLine(culprit), firstOf(fieldsOf(project)['name'], fieldsOf(project)['slug'])]
  const about = [place.filter(word => word !== '').join(' · '), oneLine(shortId)]
  return { title: { text: `🐞 ${oneLine(title) || words.untitled}` }, about, link: firstOf(web, permalink) }
}
