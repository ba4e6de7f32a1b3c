// Votes in a poll in which a group of 200 has voted already, against texts in the same group: live, and after the gateway was away.
import { setTimeout as wait } from 'node:timers/promises'
import { inTurn, median } from '../figures.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import { closeScene, MEMBERS, openScene, type Scene } from './scene.ts'

const LIVE_ROUNDS = 5
const HELD_ROUNDS = 2
/** An even number for each voter: else the first vote of a round would be the same as the last of the one before. */
const VOTES = 200
/** Receipts and acknowledgements follow what they are for: they are counted with it. */
const SETTLE_MS = 300

type Kind = 'vote' | 'say'
type Round = { ratePerSec: number; lastMs: number; cpuMs: number; bytes: number }
type Rounds = Record<Kind, Round[]>

export const measureVotes = (): Promise<Row[]> =>
  inScratch(async directory => {
    const scene = await openScene(directory)
    const live: Rounds = { vote: [], say: [] }
    const held: Rounds = { vote: [], say: [] }
    await inTurn(LIVE_ROUNDS, [
      async () => void live.vote.push(await liveRound(scene, 'vote')),
      async () => void live.say.push(await liveRound(scene, 'say')),
    ])
    await inTurn(HELD_ROUNDS, [
      async () => void held.vote.push(await heldRound(scene, 'vote')),
      async () => void held.say.push(await heldRound(scene, 'say')),
    ])
    await closeScene(scene)
    return [
      row({ what: `votes, ${scene.voters.length} at once`, unit: '/s', better: 'more' }, live, of => of.ratePerSec),
      row({ what: 'last vote to its update', unit: 'ms', better: 'less' }, live, of => of.lastMs),
      row({ what: 'votes that waited', unit: '/s', better: 'more' }, held, of => of.ratePerSec),
      row({ what: 'CPU of gateway, vote', unit: 'ms', better: 'less' }, live, of => of.cpuMs),
      row({ what: 'CPU of gateway, vote that waited', unit: 'ms', better: 'less' }, held, of => of.cpuMs),
      row({ what: 'update of a vote', unit: 'bytes', better: 'less' }, live, of => of.bytes),
    ]
  })

/** All voters at once, while the operator reads. */
async function liveRound({ gateway, voters, poll, reader }: Scene, kind: Kind): Promise<Round> {
  const before = await gateway.usage()
  const startedMs = performance.now()
  const reading = reader.take(updateOf[kind], VOTES)
  await Promise.all(voters.map(voter => voter.ask(kind, { count: VOTES / voters.length, ...poll })))
  const saidMs = performance.now()
  const bytes = await reading
  const endedMs = performance.now()
  await wait(SETTLE_MS)
  const after = await gateway.usage()
  return {
    ratePerSec: (VOTES * 1000) / (endedMs - startedMs),
    lastMs: endedMs - saidMs,
    cpuMs: (after.cpuMs - before.cpuMs) / VOTES,
    bytes: bytes / VOTES,
  }
}

/** The relay has all of them before the gateway takes the first: nobody else has work meanwhile. */
async function heldRound({ gateway, voters, poll, reader }: Scene, kind: Kind): Promise<Round> {
  const before = await gateway.usage()
  await gateway.whileHeld(async () => {
    await Promise.all(voters.map(voter => voter.ask(kind, { count: VOTES / voters.length, ...poll })))
    await wait(SETTLE_MS)
  })
  const startedMs = performance.now()
  const bytes = await reader.take(updateOf[kind], VOTES)
  const tookMs = performance.now() - startedMs
  await wait(SETTLE_MS)
  const after = await gateway.usage()
  const cpuMs = (after.cpuMs - before.cpuMs) / VOTES
  return { ratePerSec: (VOTES * 1000) / tookMs, lastMs: tookMs, cpuMs, bytes: bytes / VOTES }
}

const updateOf: Readonly<Record<Kind, string>> = { vote: 'poll', say: 'message' }

type Figure = { what: string; unit: string; better: 'more' | 'less' }

const row = ({ what, unit, better }: Figure, rounds: Rounds, of: (round: Round) => number): Row => ({
  what: `${what}, group of ${MEMBERS}`,
  ours: median(rounds.vote.map(of)),
  unit,
  peer: { what: 'texts in the same group', figure: median(rounds.say.map(of)), better },
})
