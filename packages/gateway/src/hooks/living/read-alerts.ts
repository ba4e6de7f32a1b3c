// Reads a body of `alerts` or `grafana` for a living message. Every word of it is one line, and bounded.
import { hookLimits } from '@postern/protocol'
import {
  alertIdOf,
  alertPlaceOf,
  alertsIn,
  cutCount,
  groupFields,
  groupKeyOf,
  groupNameOf,
  groupStatusOf,
  isResolvedAlert,
} from '../formats/alerts.ts'
import { digest } from '../formats/digest.ts'
import { fieldsOf, type PostFields } from '../formats/fields.ts'
import { oneLine } from '../texts/clean.ts'
import { shortened } from '../texts/fit-lines.ts'
import type { GatewayWords } from '../words/words.ts'
import type { AlertsPost, PostedAlert } from './posted-alerts.ts'

const limits = hookLimits.living

/** Throws `bad-field` for a body of another version. */
export function readAlertsPost(json: unknown, format: 'alerts' | 'grafana', words: GatewayWords): AlertsPost {
  const body = groupFields(json, format === 'alerts' ? 4 : 1)
  const alerts = alertsIn(body)
  const isOver = groupStatusOf(body, alerts) === 'resolved'
  const posted = alerts.slice(0, limits.alertsMax).map(alert => alertOf(alert, words))
  const left = alerts.length - posted.length + cutCount(body)
  return {
    name: digest(groupKeyOf(body)),
    title: word(groupNameOf(body, alerts, words.alerts)),
    cut: isOver ? 0 : left,
    alerts: posted,
    matchers: matchersOf(body),
    links: format === 'alerts' ? [{ kind: 'open', url: addressOf(body['externalURL']) }] : grafanaLinks(alerts),
  }
}

const word = (value: unknown): string => shortened(oneLine(value), limits.wordCharsMax)

const addressOf = (url: unknown): string =>
  typeof url === 'string' && url.length <= hookLimits.addressCharsMax ? url : ''

export const alertKey = (alert: PostFields): string => digest(alertIdOf(alert)).slice(0, 22)

function alertOf(alert: PostFields, words: GatewayWords): PostedAlert {
  const labels = fieldsOf(alert['labels'])
  const { summary, description, message } = fieldsOf(alert['annotations'])
  const texts = [summary, description, message, labels['alertname']]
  return {
    key: alertKey(alert),
    place: word(alertPlaceOf(labels)),
    about: texts.map(word).find(text => text !== '') ?? words.alerts.undescribed,
    severity: shortened(oneLine(labels['severity']), limits.severityCharsMax),
    isOver: isResolvedAlert(alert),
    startMs: timeOf(alert['startsAt']),
    endMs: isResolvedAlert(alert) ? timeOf(alert['endsAt']) : 0,
  }
}

function timeOf(value: unknown): number {
  const ms = typeof value === 'string' && value.length <= 64 ? Date.parse(value) : Number.NaN
  return ms > 0 ? ms : 0
}

/** The labels that the group shares; with no matcher at all a silence would hide everything. */
function matchersOf({ groupLabels, commonLabels }: PostFields): [string, string][] {
  // Labels that cannot be used must not be replaced with fewer: that would silence more than the group.
  if (Object.keys(fieldsOf(groupLabels)).length > 0) return pairsOf(groupLabels)
  const common = pairsOf(commonLabels)
  return common.some(([name]) => name === 'alertname') ? common : []
}

/** Too many or too long ones would be cut, and a cut matcher silences something else: then none. */
function pairsOf(labels: unknown): [string, string][] {
  const pairs = Object.entries(fieldsOf(labels)).slice(0, limits.matchersMax + 1)
  const strings = pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  const units = strings.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  const isUsable =
    pairs.length === strings.length &&
    pairs.length <= limits.matchersMax &&
    strings.some(([, value]) => value !== '') &&
    units <= limits.matcherUnitsMax
  return isUsable && strings.every(([name]) => /^[A-Za-z_]\w*$/.test(name)) ? strings : []
}

function grafanaLinks(alerts: readonly PostFields[]): AlertsPost['links'] {
  const first = alerts.find(alert => !isResolvedAlert(alert)) ?? {}
  const { silenceURL, panelURL, dashboardURL } = first
  const panel = [panelURL, dashboardURL].map(addressOf).find(url => url !== '') ?? ''
  return [
    { kind: 'silence', url: addressOf(silenceURL) },
    { kind: 'panel', url: panel },
  ]
}
