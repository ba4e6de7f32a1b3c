// The format `grafana`: alerts of Grafana's webhook contact point, version 1, with buttons that lead to Grafana.
import { hookLimits } from '@postern/protocol'
import type { Button } from '@postern/protocol/content'
import { oneLine, webAddress } from '../texts/clean.ts'
import { linkButtons } from '../texts/rich-text.ts'
import type { GatewayWords } from '../words/words.ts'
import { type AlertGroup, alertsIn, groupFields, planAlerts, readGroup, rememberGroups } from './alerts.ts'
import { digest } from './digest.ts'
import { fieldsOf, type PostFields } from './fields.ts'
import { defineFormat } from './format.ts'
import { readJson } from './post-body.ts'

export type GrafanaGroup = AlertGroup & { buttons: Button[][] }

export const grafana = defineFormat({
  read: (body, words) => {
    const group = readGrafana(readJson(body), words)
    return { ...group, identity: digest(group.identity) }
  },
  repeat: () => ({ withinMs: 0, isOneEvent: false }),
  plan: (group: GrafanaGroup, past, nowMs) => {
    const plan = planAlerts(group, past, nowMs)
    return plan.kind === 'write' ? { ...plan, buttons: group.buttons } : plan
  },
  remember: rememberGroups('grafana'),
})

export function readGrafana(json: unknown, words: GatewayWords): GrafanaGroup {
  const body = groupFields(json, 1)
  const alerts = alertsIn(body)
  const group = readGroup(body, { ...words.alerts, valuesOf })
  return group.status === 'resolved' ? { ...group, buttons: [] } : withLinks(group, { body, alerts, words })
}

/** `B = 93`: numbers of the rule's queries, under the names that the rule gives them. */
function valuesOf({ values }: PostFields): string {
  const shown = Object.entries(fieldsOf(values))
    .slice(0, hookLimits.grafanaValuesMax)
    .flatMap(([name, value]) =>
      typeof value === 'number' ? [`${oneLine(name)} = ${Number(value.toPrecision(6))}`] : [],
    )
  return shown.length === 0 ? '' : `: ${shown.join(', ')}`
}

type Linked = { body: PostFields; alerts: readonly PostFields[]; words: GatewayWords }

/** Buttons lead to https only. A Grafana without it has a link in the text. */
function withLinks(group: AlertGroup, { body, alerts, words: { grafana: labels } }: Linked): GrafanaGroup {
  const first = alerts.find(alert => alert['status'] !== 'resolved') ?? {}
  const { silenceURL, panelURL, dashboardURL } = first
  const buttons = linkButtons(
    [
      { text: labels.silence, url: silenceURL },
      { text: labels.panel, url: panelURL },
      { text: labels.dashboard, url: dashboardURL },
    ],
    2,
  )
  const link = [panelURL, dashboardURL, body['externalURL']]
    .map(url => webAddress(url, hookLimits.addressCharsMax))
    .find(url => url !== '')
  return buttons.length > 0 || !link ? { ...group, buttons } : { ...group, buttons, text: `${group.text}\n${link}` }
}
