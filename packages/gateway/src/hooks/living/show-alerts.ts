// The text and the buttons of a living message about a group of alerts.
import { contentLimits, hookLimits } from '@postern/protocol'
import type { Button } from '@postern/protocol/content'
import type { HookText } from '../formats/format.ts'
import { fitLines, type TextLine } from '../texts/fit-lines.ts'
import { linkButtons } from '../texts/rich-text.ts'
import { type SilenceUnit, shownTime } from '../words/russian-living.ts'
import type { GatewayWords } from '../words/words.ts'
import {
  type AlertsSubject,
  alertsOf,
  beganMs,
  type GroupAlert,
  inOrder,
  isFinished,
  nameOf,
  overTitle,
} from './alert-group.ts'

/** `silences`: the spans that may be chosen; none where no Alertmanager is known. */
export type ShowContext = { words: GatewayWords; nowMs: number; silences: readonly string[] }

/** The data of its buttons. Never rename them: people press old messages. */
export const pressed = { take: 'living:take', silence: 'living:silence:', unsilence: 'living:unsilence' } as const

/** Names the person that the message shows: who presses it takes the group from that person, or gives it back. */
export const dataOfTake = (ack: AlertsSubject['ack']): string => (ack ? `${pressed.take}:${ack.by}` : pressed.take)

export const isTake = (data: string): boolean => data === pressed.take || data.startsWith(`${pressed.take}:`)

export function showAlerts(subject: AlertsSubject, around: ShowContext): HookText {
  const { words } = around
  const all = inOrder(subject)
  const isOver = isFinished(subject)
  const shown = all.slice(0, hookLimits.alertLinesMax)
  const hidden = all.slice(shown.length)
  const firing = hidden.filter(alert => !alert.isOver).length + (isOver ? 0 : subject.cut)
  const rest = { firing, resolved: hidden.length - hidden.filter(alert => !alert.isOver).length }
  const footer = footerOf(subject, around)
  const text = fitLines([
    isOver ? { text: overTitle(subject, words) } : firingTitle(subject, around),
    ...shown.map(alert => lineOf(alert, shown, { ...around, mark: isOver ? '' : '✅ ' })),
    ...(rest.firing + rest.resolved > 0 ? [{ text: words.alerts.more(rest) }] : []),
    ...(footer === '' ? [] : [{ text: footer }]),
  ])
  return { text, buttons: isOver ? [] : buttonsOf(subject, around) }
}

function firingTitle(subject: AlertsSubject, { words, nowMs }: ShowContext): TextLine {
  const all = alertsOf(subject)
  const count = { firing: all.filter(({ isOver }) => !isOver).length + subject.cut, all: all.length + subject.cut }
  const ms = nowMs - beganMs(subject, nowMs)
  // A single alert has its time on its line.
  const lasting = count.all > hookLimits.alertLinesMax && ms > 0 ? words.living.fires(ms) : ''
  return { text: `🔥 ${subject.title}`, tail: `: ${words.living.count(count)}${lasting}` }
}

type LineContext = ShowContext & { mark: string }

function lineOf(alert: GroupAlert, all: readonly GroupAlert[], { words, nowMs, mark }: LineContext): TextLine {
  const { place, about, isOver, startMs, endMs } = alert
  // Their summaries distinguish two alerts of one place.
  const isAlone = all.filter(other => other.place === place).length === 1
  const name = isAlone || place === '' ? nameOf(alert) : nameOf({ ...alert, place: `${about}, ${place}` })
  const ms = startMs === 0 ? 0 : (isOver ? endMs : nowMs) - startMs
  const lasting = ms <= 0 ? '' : isOver ? words.living.fired(ms) : words.living.fires(ms)
  return { text: `${isOver ? mark : ''}${name}`, tail: lasting }
}

function footerOf({ ack, silence }: AlertsSubject, { words, nowMs }: ShowContext): string {
  const taken = ack ? [`👤 ${ack.name}, ${shownTime(ack.ms, nowMs)}`] : []
  const isSilent = silence?.stage === 'active' && silence.untilMs > nowMs
  const silenced = isSilent ? [words.living.until(shownTime(silence.untilMs, nowMs))] : []
  return [...taken, ...silenced].join(' · ')
}

function buttonsOf(subject: AlertsSubject, { words, nowMs, silences }: ShowContext): Button[][] {
  const { living, grafana } = words
  const { ack, silence, matchers, links } = subject
  const isSilent = silence?.stage === 'active' && silence.untilMs > nowMs
  const chosen = matchers.length === 0 ? [] : silences
  const offered = isSilent
    ? [{ text: living.unsilence, data: pressed.unsilence }]
    : chosen.map(span => ({ text: silenceLabel(span, words), data: pressed.silence + span }))
  const labels = { silence: grafana.silence, panel: grafana.panel, open: living.open }
  const opened = linkButtons(
    links.map(({ kind, url }) => ({ text: labels[kind], url })),
    links.length,
  ).flat()
  const all: Button[] = [{ text: living.take, data: dataOfTake(ack) }, ...offered, ...opened]
  const { buttonsPerRowMax: perRow } = contentLimits
  return Array.from({ length: Math.ceil(all.length / perRow) }, (_, at) => all.slice(at * perRow, (at + 1) * perRow))
}

const silenceLabel = (span: string, words: GatewayWords): string =>
  words.living.silence(Number.parseInt(span, 10), span.slice(-1) as SilenceUnit)

const unitMs: Readonly<Record<SilenceUnit, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

export const spanMs = (span: string): number => Number.parseInt(span, 10) * unitMs[span.slice(-1) as SilenceUnit]
