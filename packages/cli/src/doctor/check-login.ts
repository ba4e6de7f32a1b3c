// The running gateway's own state at the relay: whether it is admitted, and whether another program has its keys.
import type { GatewaySettings, GatewayStatus } from '@postern/gateway'
import { type Clock, doctorLimits, isSameRelay } from '@postern/protocol'
import { type Diagnosis, fail, ok, quoted, warn } from './finding.ts'

type LoginCase = { status: GatewayStatus; settings: GatewaySettings | undefined; clock: Clock }

export function checkLogin({ status, settings, clock }: LoginCase): Diagnosis[] {
  const dialled = settings?.relayUrl
  const isElsewhere = dialled !== undefined && !isSameRelay(dialled, status.relay)
  const moved = isElsewhere
    ? [
        warn('login', {
          text: `the running gateway uses the relay ${quoted(status.relay)}`,
          todo: 'restart it to apply RELAY_URL',
        }),
      ]
    : []
  const copied = copiedFault(status, clock)
  const away = awayFault(status)
  const faults = [copied, away, ...moved].filter(fault => fault !== undefined)
  return faults.length > 0 ? faults : [ok('login', 'the bot is logged in, and no other program has used its keys')]
}

function copiedFault({ replaced }: GatewayStatus, clock: Clock): Diagnosis | undefined {
  if (replaced === null) return undefined
  const text = `another program logged in with the keys of this bot, most recently at ${quoted(replaced)}`
  const todo = 'stop the other program, or give it its own data directory'
  const isLately = clock.nowMs() - Date.parse(replaced) < doctorLimits.replacedFailMs
  return isLately ? fail('login', { text, todo }) : warn('login', { text, todo })
}

function awayFault({ refusal, online, registered }: GatewayStatus): Diagnosis | undefined {
  if (refusal !== null) return fail('login', { text: 'the relay does not admit the bot', todo: quoted(refusal) })
  if (online) return undefined
  const text = registered ? 'the bot is not connected to its relay' : 'the bot is not registered on its relay yet'
  return fail('login', { text, todo: 'check the lines about the relay in this report, and the log of the gateway' })
}
