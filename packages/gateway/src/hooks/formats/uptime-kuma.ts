// The format `uptime_kuma`: a monitor that is down, and that is up again.
import { CodedError, hookLimits, type MessageId } from '@postern/protocol'
import { isBlank, oneLine, webAddress } from '../texts/clean.ts'
import { fitLines } from '../texts/fit-lines.ts'
import type { GatewayWords } from '../words/words.ts'
import { fieldsOf, isFields, type PostFields } from './fields.ts'
import { defineFormat, type FormatPlan, oneEvent } from './format.ts'
import { readJsonOrForm } from './post-body.ts'

type Words = GatewayWords['uptime']

export type MonitorEvent = {
  /** `note`: a test of the notification, or a certificate that expires. */
  kind: 'down' | 'up' | 'note'
  monitor: string
  text(downMs: number | undefined): string
}

/** A monitor that is down: the newest message about it, and when the first one was written. */
type Kept = { message: MessageId; downMs: number }
type Becomes = { becomes: 'down' | 'up' }

export const uptimeKuma = defineFormat({
  read: (body, words) => readUptimeKuma(readJsonOrForm(body, 'data'), words.uptime),
  repeat: () => oneEvent,
  plan: planMonitor,
  remember: {
    storageKey: 'monitor',
    bounds: hookLimits.groups,
    subject: ({ monitor }) => monitor,
    kept: ({ becomes }: Becomes, { message, saidMs, past }): Kept | undefined =>
      becomes === 'up' ? undefined : { message, downMs: past?.downMs ?? saidMs },
  },
})

function planMonitor({ kind, text }: MonitorEvent, past: Kept | undefined, nowMs: number): FormatPlan<Becomes> {
  switch (kind) {
    case 'note':
      return { kind: 'write', text: text(undefined) }
    case 'down':
      return { kind: 'write', text: text(undefined), becomes: { becomes: 'down' } }
    case 'up': {
      const shown = text(past && Math.max(0, nowMs - past.downMs))
      const inReply = past && { inReply: { to: past.message, text: shown } }
      return { kind: 'write', text: shown, ...inReply, becomes: { becomes: 'up' }, silent: true }
    }
  }
}

const kinds: Readonly<Record<number, 'down' | 'up'>> = { 0: 'down', 1: 'up' }

/** Undefined for a monitor that is pending or in maintenance. */
export function readUptimeKuma(body: unknown, words: Words): MonitorEvent | undefined {
  if (!isFields(body)) throw new CodedError('bad-field', { field: 'body', rule: 'must be a JSON object' })
  const { heartbeat, monitor, msg } = body
  const name = nameOf(fieldsOf(monitor), words)
  const id = fieldsOf(monitor)['id']
  const subject = JSON.stringify(typeof id === 'number' || typeof id === 'string' ? id : name)
  if (!isFields(heartbeat)) {
    const note = oneLine(msg)
    if (isBlank(note))
      throw new CodedError('bad-field', { field: 'msg', rule: 'must not be blank, without a heartbeat' })
    return { kind: 'note', monitor: subject, text: () => fitLines([{ text: `🔔 ${note}` }]) }
  }
  const { status } = heartbeat
  const kind = typeof status === 'number' && Object.hasOwn(kinds, status) ? kinds[status] : undefined
  if (!kind) return undefined
  const why = oneLine(heartbeat['msg'])
  const details = kind === 'down' && why !== '' ? [{ text: why }] : []
  const text = (downMs: number | undefined) =>
    fitLines([kind === 'down' ? words.down(name) : words.up(name, downMs), ...details])
  return { kind, monitor: subject, text }
}

/** With its address, as far as it has one: monitors of other types have a host, or an address that is none. */
function nameOf({ name, url, hostname, port }: PostFields, words: Words): string {
  const host = oneLine(hostname) && [oneLine(hostname), oneLine(port)].filter(part => part !== '').join(':')
  const place = webAddress(url, hookLimits.addressCharsMax).replace(/\/$/, '') || host
  const shown = oneLine(name)
  if (shown === '') return place || words.unnamed
  return place === '' ? shown : `${shown} (${place})`
}
