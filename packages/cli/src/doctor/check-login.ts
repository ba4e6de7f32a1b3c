// What the running gateway knows of its own place at the relay: whether it is let in, and whether another has its keys.
import type { GatewaySettings, GatewayStatus } from '@postern/gateway'
import { type Clock, doctorLimits, isSameRelay } from '@postern/protocol'
import { type Finding, fail, ok, quoted, warn } from './finding.ts'

type LoginCase = { status: GatewayStatus; settings: GatewaySettings | undefined; clock: Clock }

export function lookAtLogin({ status, settings, clock }: LoginCase): Finding[] {
  const dialled = settings?.relayUrl
  const isElsewhere = dialled !== undefined && !isSameRelay(dialled, status.relay)
  const moved = isElsewhere
    ? [warn('login', { text: `the gateway that runs dials ${quoted(status.relay)}`, todo: 'restart it for RELAY_URL' })]
    : []
  const copied = copiedFault(status, clock)
  const away = awayFault(status)
  const faults = [copied, away, ...moved].filter(fault => fault !== undefined)
  return faults.length > 0 ? faults : [ok('login', 'the bot is logged in, and nobody else has come with its keys')]
}

function copiedFault({ replaced }: GatewayStatus, clock: Clock): Finding | undefined {
  if (replaced === null) return undefined
  const text = `another program has logged in with the keys of this bot, last at ${quoted(replaced)}`
  const todo = 'let only one run: stop the other, or give it a directory of its own'
  const isLately = clock.nowMs() - Date.parse(replaced) < doctorLimits.replacedFailMs
  return isLately ? fail('login', { text, todo }) : warn('login', { text, todo })
}

function awayFault({ refusal, online, registered }: GatewayStatus): Finding | undefined {
  if (refusal !== null) return fail('login', { text: 'the relay does not let the bot in', todo: quoted(refusal) })
  if (online) return undefined
  const text = registered ? 'the bot is not connected to its relay' : 'the bot is not registered on its relay yet'
  return fail('login', { text, todo: 'see what is said of the relay here, and the log of the gateway' })
}
