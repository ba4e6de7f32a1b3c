// The format `alerts`: turns a webhook body of Alertmanager, version 4, into a message.
import { CodedError, hookLimits, type MessageId } from '@postern/protocol'
import { oneLine } from '../texts/clean.ts'
import { fitLines, type TextLine } from '../texts/fit-lines.ts'
import { counted, type Forms } from '../texts/plural.ts'
import { digest } from './digest.ts'
import { fieldsOf, isFields, listOf, type PostFields } from './fields.ts'
import { defineFormat, type FormatPlan } from './format.ts'
import { readJson } from './post-body.ts'
import { isRecent } from './recent.ts'

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

export const alerts = defineFormat({
  read: body => {
    const group = readAlerts(readJson(body))
    return { ...group, identity: digest(group.identity) }
  },
  // The content identifies a group, whichever sender reports it: `plan` finds its repeats.
  repeat: () => ({ withinMs: 0, isOneEvent: false }),
  plan: planAlerts,
  remember: {
    storageKey: 'group',
    bounds: hookLimits.groups,
    subject: ({ key }) => key,
    isSaid: ({ identity }, about: Becomes) => about.identity === identity,
    kept: ({ becomes, identity }, { message, saidMs, past }): Kept => {
      const firing = becomes === 'firing' ? message : past?.message
      return { identity, saidMs, ...(firing && { message: firing }) }
    },
  },
})

/** A pair of senders reports everything twice, at nearly the same time. */
function planAlerts(group: AlertGroup, past: Kept | undefined, nowMs: number): FormatPlan<Becomes> {
  const { identity, status, title, text } = group
  if (past?.identity === identity && isRecent({ atMs: past.saidMs, nowMs }))
    return { kind: 'silent', why: 'its group was told in the same state just now' }
  const becomes: Becomes = { becomes: status, identity }
  if (status === 'resolved' && past?.message)
    return { kind: 'write', text, inReply: { to: past.message, text: title }, becomes }
  return { kind: 'write', text, becomes }
}

const firings: Forms = { one: 'срабатывание', few: 'срабатывания', many: 'срабатываний' }

export function readAlerts(body: unknown): AlertGroup {
  if (!isFields(body)) throw bodyFault('body', 'must be a JSON object')
  const { version } = body
  if (version !== '4' && version !== 4) throw bodyFault('version', 'must be 4')
  const alerts = listOf(body['alerts'])
  if (alerts.length === 0) throw bodyFault('alerts', 'must have at least one alert')
  const status = statusOf(body, alerts)
  const key = keyOf(body)
  const cut = cutCount(body)
  const [title, ...lines] = status === 'firing' ? firingLines(body, alerts) : resolvedLines(body, alerts)
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

const isResolved = (alert: PostFields): boolean => alert['status'] === 'resolved'

function statusOf(body: PostFields, alerts: readonly PostFields[]): AlertGroup['status'] {
  const { status } = body
  if (status === 'firing' || status === 'resolved') return status
  return alerts.every(isResolved) ? 'resolved' : 'firing'
}

const keyOf = ({ groupKey, groupLabels, commonLabels }: PostFields): string =>
  typeof groupKey === 'string' && groupKey !== '' ? groupKey : pairsOf(groupLabels ?? commonLabels)

type Identified = { key: string; status: string; cut: number; alerts: readonly PostFields[] }

function identityOf({ key, status, cut, alerts }: Identified): string {
  const each = alerts.map(
    alert => `${idOf(alert)} ${oneLine(alert['status']).slice(0, hookLimits.alertStatusUnitsMax)}`,
  )
  return [key, status, cut, ...each.toSorted()].join('\n')
}

const idOf = ({ fingerprint, labels }: PostFields): string =>
  typeof fingerprint === 'string' && fingerprint !== '' ? fingerprint : pairsOf(labels)

/** At most some labels, so that a megabyte of them is not sorted, and no nested values, which would have to be walked. */
const pairsOf = (labels: unknown): string =>
  JSON.stringify(
    Object.entries(fieldsOf(labels))
      .slice(0, hookLimits.alertLabelsMax)
      .filter(([, value]) => typeof value !== 'object')
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )

function firingLines(body: PostFields, alerts: readonly PostFields[]): Lines {
  const resolved = alerts.filter(isResolved)
  const firing = alerts.filter(alert => !isResolved(alert))
  const cut = cutCount(body)
  const shownFiring = firing.slice(0, hookLimits.alertLinesMax)
  const shownResolved = resolved.slice(0, hookLimits.alertLinesMax - shownFiring.length)
  const rest = statesText({
    firing: firing.length - shownFiring.length + cut,
    resolved: resolved.length - shownResolved.length,
  })
  return [
    {
      text: `🔥 ${nameOf(body, alerts)}`,
      tail: `: ${statesText({ firing: firing.length + cut, resolved: resolved.length })}`,
    },
    ...shownFiring.map(alert => lineOf(alert)),
    ...shownResolved.map(alert => lineOf(alert, '✅ ')),
    ...(rest === '' ? [] : [{ text: `…и ещё ${rest}` }]),
  ]
}

const statesText = ({ firing, resolved }: Record<AlertGroup['status'], number>): string =>
  [...(firing > 0 ? [counted(firing, firings)] : []), ...(resolved > 0 ? [`устранено: ${resolved}`] : [])].join(', ')

function resolvedLines(body: PostFields, alerts: readonly PostFields[]): Lines {
  const count = alerts.length + cutCount(body)
  const shown = alerts.slice(0, hookLimits.alertLinesMax)
  const rest = count - shown.length
  return [
    { text: `✅ Устранено: ${nameOf(body, alerts)}`, tail: `, ${counted(count, firings)}` },
    ...shown.map(alert => lineOf(alert)),
    ...(rest === 0 ? [] : [{ text: `…и ещё ${counted(rest, firings)}` }]),
  ]
}

/** Alerts that the sender left out because the body was too large for its settings. */
function cutCount({ truncatedAlerts }: PostFields): number {
  return Number.isSafeInteger(truncatedAlerts) && Number(truncatedAlerts) > 0 ? Number(truncatedAlerts) : 0
}

function nameOf({ commonLabels, groupLabels }: PostFields, alerts: readonly PostFields[]): string {
  for (const labels of [commonLabels, groupLabels]) {
    const name = oneLine(fieldsOf(labels)['alertname'])
    if (name !== '') return name
  }
  const names = new Set(alerts.map(({ labels }) => oneLine(fieldsOf(labels)['alertname'])))
  names.delete('')
  if (names.size === 0) return 'Без названия'
  const shown = [...names].slice(0, hookLimits.alertNamesMax).join(', ')
  return names.size > hookLimits.alertNamesMax ? `${shown} и ещё ${names.size - hookLimits.alertNamesMax}` : shown
}

/** summary (severity, instance or namespace/pod) */
function lineOf(alert: PostFields, mark = ''): TextLine {
  const labels = fieldsOf(alert['labels'])
  const annotations = fieldsOf(alert['annotations'])
  const words = [annotations['summary'], annotations['description'], annotations['message'], labels['alertname']]
  const summary = words.map(oneLine).find(word => word !== '') ?? 'без описания'
  const about = [oneLine(labels['severity']), placeOf(labels)].filter(word => word !== '')
  return { text: mark + summary, ...(about.length > 0 && { tail: ` (${about.join(', ')})` }) }
}

function placeOf({ instance, namespace, pod }: PostFields): string {
  const known = oneLine(instance)
  if (known !== '') return known
  return [oneLine(namespace), oneLine(pod)].filter(word => word !== '').join('/')
}
