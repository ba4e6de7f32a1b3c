// Groups of 20, 200 and 1,000: the cost of making, joining, speaking in and changing one for each member. A ratio below
// 1 is worse than linear.
import { join } from 'node:path'
import type { AccountId } from '@postern/protocol'
import { median } from '../figures.ts'
import { registerMembers } from '../group200/members.ts'
import { type Speakers, startSpeakers } from '../group200/speaker.ts'
import { spentUs } from '../group200/spent.ts'
import type { Renaming } from '../processes/gateway.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import { measureFanOut } from './fan-out.ts'

const SIZES = [20, 200, 1000]
const TEXTS = 30
const TITLES = 7

const steps = [
  'made',
  'joined',
  'a text sent',
  'a text carried',
  'a text received',
  'a title set',
  'a title followed',
] as const
type Step = (typeof steps)[number]
/** CPU in µs. */
type Costs = Record<Step, number>

export const measureGroup1000 = (): Promise<Row[]> =>
  inScratch(async directory => [...(await measureGroups(directory)), ...(await measureFanOut(directory))])

async function measureGroups(directory: string): Promise<Row[]> {
  const others = await registerMembers(
    join(directory, 'relay'),
    SIZES.reduce((sum, size) => sum + size - 2, 0),
  )
  const scene = await startSpeakers(directory)
  await scene.speaker.ask('say', { count: 50 })
  const costs = new Map<number, Costs>()
  for (const size of SIZES) costs.set(size, await costsOf(scene, others.splice(0, size - 2)))
  scene.api.close()
  await scene.speaker.stop()
  await scene.gateway.stop()
  await scene.bots.close()
  return steps.flatMap(step => [200, 1000].map(size => rowOf(step, { size, costs })))
}

/**
 * A cost that grows with the group is shown per member, compared with a group of a fifth of the size; a constant cost
 * is shown as it is.
 */
function rowOf(step: Step, { size, costs }: { size: number; costs: ReadonlyMap<number, Costs> }): Row {
  const smaller = size === 1000 ? 200 : 20
  const perMember = (members: number) => (costs.get(members)?.[step] ?? Number.NaN) / members
  return {
    what: `group of ${size}, ${step}: each member`,
    ours: perMember(size),
    unit: 'µs',
    peer: { what: `in one of ${smaller}`, figure: perMember(smaller), better: 'less' },
  }
}

async function costsOf({ bots, gateway, speaker, api }: Speakers, others: AccountId[]): Promise<Costs> {
  const { relay } = bots
  let group = ''
  const [made, joined] = await spentUs([gateway, speaker], async () => {
    const wanted = { name: 'A large group', members: [speaker.state.chat, ...others] }
    group = (JSON.parse(await api.call('POST', '/v1/groups', wanted)) as { id: string }).id
    await speaker.ask('say', { count: 0, group })
  })
  const text = { text: 'a text of about a hundred bytes, as a bot writes them to the people who have asked it' }
  const [sent, carried] = await spentUs([gateway, relay], async () => {
    for (let at = 0; at < TEXTS; at++) await api.call('POST', `/v1/chats/${group}/messages`, text)
  })
  const told = (await gateway.ask<number>('happenings')) + TEXTS
  const [received] = await spentUs([gateway], async () => {
    await speaker.ask('say', { count: TEXTS, group })
    await gateway.ask('happened', told)
  })
  const changes: number[][] = []
  for (let at = 0; at < TITLES; at++)
    changes.push(
      await spentUs([gateway, speaker], () => gateway.ask('rename', { group, name: `Title ${at}` } satisfies Renaming)),
    )
  return {
    made: made ?? Number.NaN,
    joined: joined ?? Number.NaN,
    'a text sent': (sent ?? Number.NaN) / TEXTS,
    'a text carried': (carried ?? Number.NaN) / TEXTS,
    'a text received': (received ?? Number.NaN) / TEXTS,
    'a title set': median(changes.map(([set = Number.NaN]) => set)),
    'a title followed': median(changes.map(([, followed = Number.NaN]) => followed)),
  }
}
