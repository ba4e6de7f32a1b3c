// The format `alerts`: turns a webhook body of Alertmanager, version 4, into a message.
import { CodedError, hookLimits, type MessageId } from '@postern/protocol'
import { oneLine } from '../texts/clean.ts'
import { fitLines, type TextLine } from '../texts/fit-lines.ts'
import type { GatewayWords } from '../words/words.ts'
import { digest } from './digest.ts'
import { fieldsOf, isFields, listOf, type PostFields } from './fields.ts'
import { defineFormat, type FormatPlan, type WrittenMessage } from './format.ts'
import { readJson } from './post-body.ts'
import { isRecent } from './recent.ts'

/** `valuesOf`: what a sender shows beside the labels of a firing alert. */
type AlertsWords = GatewayWords['alerts'] & { valuesOf?(alert: PostFields): string }

export type AlertGroup = {
  status: 'firing' | 'resolved'
  /** The same for every body of one group, from each sender of a pair. */
  key: string
  /** Equal when group, alerts and their states are equal. */
  identity: string
  /** The first line of the text: enough while the rest is visible. */
  title: string
  text: string
}

/** The last body of a group, the time of its message, and the newest message that the group fires. */
type Kept = { identity: string; saidMs: number; message?: MessageId }
type Becomes = { becomes: AlertGroup['status']; identity: string }

/** How a format for alerts remembers their groups. */
export const rememberGroups = <const StorageKey extends string>(storageKey: StorageKey) => ({
  storageKey,
  bounds: hookLimits.groups,
  subject: ({ key }: AlertGroup) => key,
  isSaid: ({ identity }: AlertGroup, about: Becomes) => about.identity === identity,
  kept: ({ becomes, identity }: Becomes, { message, saidMs, past }: WrittenMessage<Kept>): Kept => {
    const firing = becomes === 'firing' ? message : past?.message
    return { identity, saidMs, ...(firing && { message: firing }) }
  },
})

export const alerts = defineFormat({
  read: (body, words) => {
    const group = readAlerts(readJson(body), words.alerts)
    return { ...group, identity: digest(group.identity) }
  },
  // The content identifies a group, whichever sender reports it: `plan` finds its repeats.
  repeat: () => ({ withinMs: 0, isOneEvent: false }),
  plan: planAlerts,
  remember: rememberGroups('group'),
})

/** A pair of senders reports everything twice, at nearly the same time. */
export function planAlerts(group: AlertGroup, past: Kept | undefined, nowMs: number): FormatPlan<Becomes> {
  const { identity, status, title, text } = group
  if (past?.identity === identity && isRecent({ atMs: past.saidMs, nowMs }))
    return { kind: 'skip', why: 'its group was told in the same state just now' }
  const becomes: Becomes = { becomes: status, identity }
  if (status === 'firing') return { kind: 'write', text, becomes }
  const inReply = past?.message && { inReply: { to: past.message, text: title } }
  return { kind: 'write', text, ...inReply, becomes, silent: true }
}

export const readAlerts = (body: unknown, words: AlertsWords): AlertGroup => readGroup(groupFields(body, 4), words)

/** Throws unless it is a body of this version, with alerts. */
export function groupFields(body: unknown, wanted: 1 | 4): PostFields {
  if (!isFields(body)) throw bodyFault('body', 'must be a JSON object')
  const { version } = body
  if (version !== String(wanted) && version !== wanted) throw bodyFault('version', `must be ${wanted}`)
  if (alertsIn(body).length === 0) throw bodyFault('alerts', 'must have at least one alert')
  return body
}

/** Further ones count as left out: no sender has as many, and a megabyte of empty ones would hold up others. */
export const alertsIn = ({ alerts }: PostFields): PostFields[] =>
  Array.isArray(alerts) ? listOf(alerts.slice(0, hookLimits.alertsReadMax)) : []

/** The group in a body, whichever program's. */
export function readGroup(body: PostFields, words: AlertsWords): AlertGroup {
  const alerts = alertsIn(body)
  const status = groupStatusOf(body, alerts)
  const key = groupKeyOf(body)
  const cut = cutCount(body)
  const linesOf = status === 'firing' ? firingLines : resolvedLines
  const [title, ...lines] = linesOf(body, alerts, words)
  return {
    status,
    key,
    identity: identityOf({ key, status, cut, alerts }),
    title: fitLines([title]),
    text: fitLines([title, ...lines]),
  }
}

type Lines = [TextLine, ...TextLine[]]

const bodyFault = (field: string, rule: string): CodedError => new CodedError('bad-field', { field, rule })

export const isResolvedAlert = (alert: PostFields): boolean => alert['status'] === 'resolved'

export function groupStatusOf(body: PostFields, alerts: readonly PostFields[]): AlertGroup['status'] {
  const { status } = body
  if (status === 'firing' || status === 'resolved') return status
  return alerts.every(isResolvedAlert) ? 'resolved' : 'firing'
}

export const groupKeyOf = ({ groupKey, groupLabels, commonLabels }: PostFields): string =>
  typeof groupKey === 'string' && groupKey !== '' ? groupKey : pairsOf(groupLabels ?? commonLabels)

type Identified = { key: string; status: string; cut: number; alerts: readonly PostFields[] }

function identityOf({ key, status, cut, alerts }: Identified): string {
  const each = alerts.map(
    alert => `${alertIdOf(alert)} ${oneLine(alert['status']).slice(0, hookLimits.alertStatusUnitsMax)}`,
  )
  return [key, status, cut, ...each.toSorted()].join('\n')
}

export const alertIdOf = ({ fingerprint, labels }: PostFields): string =>
  typeof fingerprint === 'string' && fingerprint !== '' ? fingerprint : pairsOf(labels)

/** At most some labels, so that a megabyte of them is not sorted, and no nested values, which would have to be walked. */
const pairsOf = (labels: unknown): string =>
  JSON.stringify(
    Object.entries(fieldsOf(labels))
      .slice(0, hookLimits.alertLabelsMax)
      .filter(([, value]) => typeof value !== 'object')
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )

function firingLines(body: PostFields, alerts: readonly PostFields[], words: AlertsWords): Lines {
  const resolved = alerts.filter(isResolvedAlert)
  const firing = alerts.filter(alert => !isResolvedAlert(alert))
  const cut = cutCount(body)
  const shownFiring = firing.slice(0, hookLimits.alertLinesMax)
  const shownResolved = resolved.slice(0, hookLimits.alertLinesMax - shownFiring.length)
  const rest = {
    firing: firing.length - shownFiring.length + cut,
    resolved: resolved.length - shownResolved.length,
  }
  return [
    {
      text: `🔥 ${groupNameOf(body, alerts, words)}`,
      tail: `: ${words.states({ firing: firing.length + cut, resolved: resolved.length })}`,
    },
    ...shownFiring.map(alert => lineOf(alert, words)),
    ...shownResolved.map(alert => lineOf(alert, words, '✅ ')),
    ...(rest.firing + rest.resolved === 0 ? [] : [{ text: words.more(rest) }]),
  ]
}

function resolvedLines(body: PostFields, alerts: readonly PostFields[], words: AlertsWords): Lines {
  const count = alerts.length + cutCount(body)
  const shown = alerts.slice(0, hookLimits.alertLinesMax)
  const rest = count - shown.length
  return [
    { text: words.resolvedTitle(groupNameOf(body, alerts, words)), tail: `, ${words.count(count)}` },
    ...shown.map(alert => lineOf(alert, words)),
    ...(rest === 0 ? [] : [{ text: words.more({ firing: rest, resolved: 0 }) }]),
  ]
}

/** Alerts that the sender left out because the body was too large for its settings, and those that are not read. */
export function cutCount({ alerts, truncatedAlerts }: PostFields): number {
  const cut = Number.isSafeInteger(truncatedAlerts) && Number(truncatedAlerts) > 0 ? Number(truncatedAlerts) : 0
  return cut + (Array.isArray(alerts) ? Math.max(0, alerts.length - hookLimits.alertsReadMax) : 0)
}

export function groupNameOf(
  { commonLabels, groupLabels }: PostFields,
  alerts: readonly PostFields[],
  words: AlertsWords,
): string {
  for (const labels of [commonLabels, groupLabels]) {
    const name = oneLine(fieldsOf(labels)['alertname'])
    if (name !== '') return name
  }
  const names = new Set(alerts.map(({ labels }) => oneLine(fieldsOf(labels)['alertname'])))
  names.delete('')
  if (names.size === 0) return words.unnamed
  const shown = [...names].slice(0, hookLimits.alertNamesMax).join(', ')
  const more = names.size - hookLimits.alertNamesMax
  return more > 0 ? words.moreNames(shown, more) : shown
}

/** summary (severity, instance or namespace/pod) */
function lineOf(alert: PostFields, words: AlertsWords, mark = ''): TextLine {
  const labels = fieldsOf(alert['labels'])
  const annotations = fieldsOf(alert['annotations'])
  const texts = [annotations['summary'], annotations['description'], annotations['message'], labels['alertname']]
  const summary = texts.map(oneLine).find(text => text !== '') ?? words.undescribed
  const about = [oneLine(labels['severity']), alertPlaceOf(labels)].filter(word => word !== '')
  const values = isResolvedAlert(alert) ? '' : (words.valuesOf?.(alert) ?? '')
  const tail = `${about.length > 0 ? ` (${about.join(', ')})` : ''}${values}`
  return { text: mark + summary, ...(tail !== '' && { tail }) }
}

export function alertPlaceOf({ instance, namespace, pod }: PostFields): string {
  const known = oneLine(instance)
  if (known !== '') return known
  return [oneLine(namespace), oneLine(pod)].filter(word => word !== '').join('/')
}
