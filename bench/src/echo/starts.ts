// How long a gateway needs to start on the data of a bot that has been in use.
import { inTurn, median } from '../figures.ts'
import { type Start, timedStart } from '../processes/timed-start.ts'
import type { Row } from '../table.ts'
import type { Side } from './side.ts'

const ROUNDS = 5

/** Stops the gateways of the rings while it measures. */
export async function startRows({ ours, bare }: { ours: Side; bare: Side }): Promise<Row[]> {
  const starts: { ours: Start[]; bare: Start[] } = { ours: [], bare: [] }
  const restart = (side: Side, into: Start[]) => async () => {
    await side.ring.gateway.stop()
    const { child, ...start } = await timedStart(side.ring.startGateway)
    side.ring.gateway = child
    into.push(start)
  }
  for (const side of [ours, bare]) await side.ring.bot.stop()
  await inTurn(ROUNDS, [restart(ours, starts.ours), restart(bare, starts.bare)])
  const healthyMs = (of: Start[]) => median(of.map(one => one.healthyMs))
  const peer = { what: 'bare node:http process', figure: healthyMs(starts.bare), better: 'less' as const }
  return [
    { what: 'gateway start to /healthz', ours: healthyMs(starts.ours), unit: 'ms', peer },
    { what: 'gateway start to online', ours: median(starts.ours.map(one => one.onlineMs)), unit: 'ms', peer },
  ]
}
