// The state of a group of alerts: each alert by its fingerprint, whatever the order in which posts report them.
import { hookLimits } from '@postern/protocol'
import { shortened } from '../texts/fit-lines.ts'
import type { GatewayWords } from '../words/words.ts'
import type { AlertsPost, PostedAlert } from './posted-alerts.ts'
import type { Reply, SubjectChange } from './subject-change.ts'

const limits = hookLimits.living

/** `round`: the one in which it last changed. `learnedMs`: the elapsed time of that. */
export type GroupAlert = PostedAlert & { learnedMs: number; round: number }

/**
 * A silence made by a press. `asked`: the Alertmanager may have it. `active`: it has, under `id`. `ending`: it was asked
 * to end it.
 */
export type GroupSilence = {
  press: string
  by: string
  untilMs: number
  stage: 'asked' | 'active' | 'ending'
  /** ManagerAnswer, and nothing is known of it. */
  isDoubtful?: true
  /** A try before it had no answer: the Alertmanager may carry that one out, too. */
  mayBeDouble?: true
  id?: string
}

export type AlertsSubject = Pick<AlertsPost, 'title' | 'cut' | 'matchers' | 'links'> & {
  kind: 'alerts'
  round: number
  alerts: Record<string, GroupAlert>
  /** Elapsed time of the last message that notified people. */
  notifiedMs: number
  ack?: { by: string; name: string; ms: number }
  silence?: GroupSilence
  /** While the Alertmanager is asked for alerts that a silence hides. By the clock. */
  lookUntilMs?: number
}

export const alertsOf = ({ alerts, round }: AlertsSubject): GroupAlert[] =>
  Object.values(alerts).filter(alert => alert.round === round)

export const isFinished = (subject: AlertsSubject): boolean =>
  subject.cut === 0 && alertsOf(subject).every(({ isOver }) => isOver)

/** Those that fire, the most severe first, then the oldest; then those that are over. */
export function inOrder(subject: AlertsSubject): GroupAlert[] {
  const rank = ({ isOver, severity }: GroupAlert): number => (isOver ? -1 : severityRank(severity))
  return alertsOf(subject).toSorted((a, b) => rank(b) - rank(a) || a.startMs - b.startMs || (a.key < b.key ? -1 : 1))
}

const ranks: Readonly<Record<string, number>> = {
  info: 1,
  none: 0,
  warning: 2,
  warn: 2,
  error: 3,
  high: 3,
  critical: 4,
  page: 4,
  emergency: 4,
  disaster: 4,
}

const severityRank = (severity: string): number => {
  const name = severity.toLowerCase()
  return Object.hasOwn(ranks, name) ? (ranks[name] ?? 1) : 1
}

const CRITICAL = ranks['critical'] ?? 0

type MergeContext = { nowMs: number; words: GatewayWords; isQuiet: boolean; elapsedMs: number }

export function mergeAlerts(
  before: AlertsSubject | undefined,
  post: AlertsPost,
  around: MergeContext,
): SubjectChange<AlertsSubject> {
  const { elapsedMs } = around
  const past: AlertsSubject = before ?? emptyGroup(elapsedMs)
  const wasFinished = before !== undefined && isFinished(before)
  const newer = post.alerts.filter(alert => isNewer(past.alerts[alert.key], alert, elapsedMs))
  const isNewRound = wasFinished && newer.some(({ isOver }) => !isOver)
  const round = past.round + (isNewRound ? 1 : 0)
  const changed = newer.map(alert => [alert.key, { ...alert, learnedMs: elapsedMs, round }] as const)
  const { ack: _, silence: __, lookUntilMs: ___, ...fresh } = past
  const subject = {
    ...(isNewRound ? fresh : past),
    title: post.title,
    cut: wasFinished && !isNewRound ? 0 : post.cut,
    round,
    alerts: bounded({ ...past.alerts, ...Object.fromEntries(changed) }, round),
    matchers: post.matchers,
    links: post.links,
  }
  const isChanged = newer.length > 0 || subject.cut !== past.cut
  if (before === undefined || isNewRound)
    return { subject: { ...subject, notifiedMs: elapsedMs }, isChanged: true, isNewRound, replies: [] }
  return { ...withReply(before, { subject, isChanged, newer }, around), isNewRound: false }
}

const emptyGroup = (elapsedMs: number): AlertsSubject => ({
  kind: 'alerts',
  title: '',
  cut: 0,
  round: 1,
  alerts: {},
  matchers: [],
  links: [],
  notifiedMs: elapsedMs,
})

const timeOf = ({ isOver, startMs, endMs }: PostedAlert): number => (isOver ? Math.max(startMs, endMs) : startMs)

/** The later of start and end decides; at the same moment an end is later than a start. */
function isNewer(known: GroupAlert | undefined, alert: PostedAlert, elapsedMs: number): boolean {
  if (!known) return true
  const [past, now] = [timeOf(known), timeOf(alert)]
  if (now !== past) {
    // The same alert may fire again with its old start: long after its end nobody reports the old state any more.
    return now > past || isLongOver(known, alert, elapsedMs)
  }
  if (alert.isOver !== known.isOver) return alert.isOver || isLongOver(known, alert, elapsedMs)
  return severityRank(alert.severity) > severityRank(known.severity)
}

const isLongOver = (known: GroupAlert, alert: PostedAlert, elapsedMs: number): boolean =>
  known.isOver && !alert.isOver && elapsedMs - known.learnedMs >= limits.lateWithinMs

/** Those of earlier rounds leave first, then those that are over, the oldest first. */
function bounded(alerts: Record<string, GroupAlert>, round: number): Record<string, GroupAlert> {
  const all = Object.entries(alerts)
  if (all.length <= limits.alertsMax) return alerts
  const weight = ({ isOver, round: own }: GroupAlert): number => (own < round ? 0 : isOver ? 1 : 2)
  const kept = all.toSorted(([, a], [, b]) => weight(b) - weight(a) || b.learnedMs - a.learnedMs)
  return Object.fromEntries(kept.slice(0, limits.alertsMax))
}

type Merged = { subject: AlertsSubject; isChanged: boolean; newer: readonly PostedAlert[] }
type Replied = Pick<SubjectChange<AlertsSubject>, 'subject' | 'isChanged' | 'replies'>

/** Edits notify nobody: a reply does, when there is a reason. */
function withReply(before: AlertsSubject, { subject, isChanged, newer }: Merged, around: MergeContext): Replied {
  const { elapsedMs, nowMs, words, isQuiet } = around
  if (isFinished(subject)) {
    const isEnd = !isFinished(before) && !isQuiet
    return { subject, isChanged, replies: isEnd ? [{ text: overTitle(subject, words), silent: true }] : [] }
  }
  const worse = newer.filter(alert => !alert.isOver && isWorse(before, alert))
  const notified = { ...subject, notifiedMs: elapsedMs }
  if (worse.length > 0) return { subject: notified, isChanged, replies: [worseReply(worse, words)] }
  if (isChanged || subject.ack || elapsedMs - subject.notifiedMs < limits.remindAfterMs || !isCritical(subject))
    return { subject, isChanged, replies: [] }
  const text = words.living.still(Math.max(0, nowMs - beganMs(subject, nowMs)))
  return { subject: notified, isChanged, replies: [{ text, silent: false }] }
}

function isWorse(before: AlertsSubject, { key, severity }: PostedAlert): boolean {
  const known = before.alerts[key]
  return known?.round !== before.round || severityRank(severity) > severityRank(known.severity)
}

const isCritical = (subject: AlertsSubject): boolean =>
  alertsOf(subject).some(({ isOver, severity }) => !isOver && severityRank(severity) >= CRITICAL)

function worseReply(worse: readonly PostedAlert[], words: GatewayWords): Reply {
  const named = worse.slice(0, limits.namedAlertsMax).map(alert => nameOf(alert))
  const rest = worse.length - named.length
  const names = named.join(', ') + (rest > 0 ? ` ${words.living.more(rest)}` : '')
  return { text: `⬆️ +${worse.length}: ${names}`, silent: false }
}

export const nameOf = ({ place, about, severity }: Pick<PostedAlert, 'place' | 'about' | 'severity'>): string =>
  `${place || about}${severity && ` (${severity})`}`

/** By the sender's clock; `nowMs` if no alert has a start. */
export function beganMs(subject: AlertsSubject, nowMs: number): number {
  const starts = alertsOf(subject).flatMap(({ startMs }) => (startMs > 0 ? [startMs] : []))
  return starts.reduce((first, ms) => Math.min(first, ms), nowMs)
}

export function overTitle(subject: AlertsSubject, words: GatewayWords): string {
  const endMs = alertsOf(subject).reduce((last, alert) => Math.max(last, alert.endMs), 0)
  const ms = endMs - beganMs(subject, endMs)
  return (
    words.alerts.resolvedTitle(shortened(subject.title, limits.wordCharsMax)) + (ms > 0 ? words.living.lasted(ms) : '')
  )
}

/** The alerts that a look at the Alertmanager no longer found. */
export function resolvedByLook(
  before: AlertsSubject,
  over: readonly string[],
  around: MergeContext,
): SubjectChange<AlertsSubject> {
  const { elapsedMs, nowMs } = around
  const ended = over.flatMap(key => {
    const alert = before.alerts[key]
    return alert ? [[key, { ...alert, isOver: true, endMs: nowMs, learnedMs: elapsedMs }] as const] : []
  })
  const subject = { ...before, alerts: { ...before.alerts, ...Object.fromEntries(ended) } }
  return { ...withReply(before, { subject, isChanged: ended.length > 0, newer: [] }, around), isNewRound: false }
}
