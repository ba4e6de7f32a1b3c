// A text in a group of 200 compared with one between two: the gateway's cost of sending and receiving, and the share of
// MLS in it.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { makeMlsPair } from '../crypto/mls-pair.ts'
import { inTurn, median } from '../figures.ts'
import { textOf } from '../filled/records.ts'
import { decryptMessage, encryptMessage } from '../inside.ts'
import type { Saying } from '../processes/person.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import { registerMembers } from './members.ts'
import { type Speakers, startSpeakers } from './speaker.ts'
import { spentUs } from './spent.ts'

const ROUNDS = 3
const TEXTS = 100
const MEMBERS = 200

/** CPU in µs for one text. */
type Sides = { group: number[]; pair: number[] }
type Scene = Speakers & { group: string }

export const measureGroup200 = async (): Promise<Row[]> => [
  ...(await inScratch(measureGateway)),
  ...(await measureMls()),
]

async function measureGateway(directory: string): Promise<Row[]> {
  const scene = await openScene(directory)
  const received = await measureReceives(scene)
  await scene.speaker.stop()
  const sent = await measureSends(scene)
  scene.api.close()
  await scene.gateway.stop()
  await scene.bots.close()
  return [
    row('CPU of gateway, receive', received),
    row('CPU of gateway, send', sent.gateway),
    row('CPU of relay, send', sent.relay),
  ]
}

async function openScene(directory: string): Promise<Scene> {
  const others = await registerMembers(join(directory, 'relay'), MEMBERS - 2)
  const speakers = await startSpeakers(directory)
  const { speaker, api } = speakers
  const wanted = { name: 'A group of 200', members: [speaker.state.chat, ...others] }
  const { id: group } = JSON.parse(await api.call('POST', '/v1/groups', wanted)) as { id: string }
  return { ...speakers, group }
}

async function measureReceives({ gateway, speaker, group }: Scene): Promise<Sides> {
  const cpuUs: Sides = { group: [], pair: [] }
  const receive = (into: number[], saying: Saying) => async () => {
    const told = (await gateway.ask<number>('happenings')) + TEXTS
    const spent = await spentUs([gateway], async () => {
      await speaker.ask('say', saying)
      await gateway.ask('happened', told)
    })
    into.push(...spent.map(us => us / TEXTS))
  }
  await inTurn(ROUNDS, [receive(cpuUs.group, { count: TEXTS, group }), receive(cpuUs.pair, { count: TEXTS })])
  return cpuUs
}

async function measureSends({ bots, gateway, speaker, api, group }: Scene): Promise<{ gateway: Sides; relay: Sides }> {
  const cpuUs = { gateway: { group: [], pair: [] } as Sides, relay: { group: [], pair: [] } as Sides }
  const send = (side: keyof Sides, chat: string) => async () => {
    const [ofGateway = Number.NaN, ofRelay = Number.NaN] = await spentUs([gateway, bots.relay], async () => {
      for (let at = 0; at < TEXTS; at++) await api.call('POST', `/v1/chats/${chat}/messages`, { text: textOf(at) })
    })
    cpuUs.gateway[side].push(ofGateway / TEXTS)
    cpuUs.relay[side].push(ofRelay / TEXTS)
  }
  await inTurn(ROUNDS, [send('group', group), send('pair', speaker.state.chat)])
  return cpuUs
}

async function measureMls(): Promise<Row[]> {
  const encryptUs: Sides = { group: [], pair: [] }
  const decryptUs: Sides = { group: [], pair: [] }
  const text = randomBytes(100)
  const speak = async (side: keyof Sides, members: number) => {
    let { alice, bob } = await makeMlsPair(members)
    return async () => {
      const wires: Uint8Array[] = []
      const startedMs = performance.now()
      for (let at = 0; at < TEXTS; at++) {
        const { session, wire } = await encryptMessage(alice, text)
        alice = session
        wires.push(wire)
      }
      const encryptedMs = performance.now()
      for (const wire of wires) bob = (await decryptMessage(bob, wire)).session
      encryptUs[side].push(((encryptedMs - startedMs) * 1000) / TEXTS)
      decryptUs[side].push(((performance.now() - encryptedMs) * 1000) / TEXTS)
    }
  }
  await inTurn(ROUNDS * 3, [await speak('group', MEMBERS), await speak('pair', 2)])
  return [row('MLS encrypt', encryptUs), row('MLS decrypt', decryptUs)]
}

const row = (what: string, { group, pair }: Sides): Row => ({
  what: `${what}, group of ${MEMBERS}`,
  ours: median(group),
  unit: 'µs',
  peer: { what: 'between two', figure: median(pair), better: 'less' },
})
