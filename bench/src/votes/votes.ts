// Votes in a poll in which a group of 200 has already voted, compared with texts in the same group: live, and after the
// gateway was away.
import { setTimeout as wait } from 'node:timers/promises'
import { inTurn, median } from '../figures.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import type { Update } from '../update-reader.ts'
import { closeScene, MEMBERS, openScene, type Scene } from './scene.ts'

const LIVE_ROUNDS = 5
const HELD_ROUNDS = 2
const VOTES = 200
/** The last vote of each is for this option, and no earlier one is: it identifies the update about the last vote. */
const LAST_OPTION = 2
/** Receipts and acknowledgements follow their messages: they are counted with them. */
const SETTLE_MS = 300

type Kind = 'vote' | 'say'
/** `updates`: the number of updates; one may report several votes. */
type Round = { ratePerSec: number; lastMs: number; cpuMs: number; bytes: number; updates: number }
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
      row({ what: 'updates for each vote', unit: '', better: 'less' }, live, of => of.updates),
      row({ what: 'updates for each vote that waited', unit: '', better: 'less' }, held, of => of.updates),
      row({ what: 'bytes of updates for each vote', unit: 'bytes', better: 'less' }, live, of => of.bytes),
    ]
  })

/** All voters concurrently, while the operator reads. */
async function liveRound(scene: Scene, kind: Kind): Promise<Round> {
  const { gateway, reader } = scene
  const { isLast, all } = beginRound(scene, kind)
  const before = await gateway.usage()
  const startedMs = performance.now()
  const reading = reader.takeUntil(isLast)
  await all()
  const saidMs = performance.now()
  const taken = await reading
  const endedMs = performance.now()
  await wait(SETTLE_MS)
  const after = await gateway.usage()
  return {
    ratePerSec: (VOTES * 1000) / (endedMs - startedMs),
    lastMs: endedMs - saidMs,
    cpuMs: (after.cpuMs - before.cpuMs) / VOTES,
    bytes: taken.bytes / VOTES,
    updates: taken.updates / VOTES,
  }
}

/** The relay has all of them before the gateway receives the first: nobody else has work meanwhile. */
async function heldRound(scene: Scene, kind: Kind): Promise<Round> {
  const { gateway, reader } = scene
  const { isLast, all } = beginRound(scene, kind)
  const before = await gateway.usage()
  await gateway.whileHeld(async () => {
    await all()
    await wait(SETTLE_MS)
  })
  const startedMs = performance.now()
  const taken = await reader.takeUntil(isLast)
  const tookMs = performance.now() - startedMs
  await wait(SETTLE_MS)
  const after = await gateway.usage()
  const cpuMs = (after.cpuMs - before.cpuMs) / VOTES
  return {
    ratePerSec: (VOTES * 1000) / tookMs,
    lastMs: tookMs,
    cpuMs,
    bytes: taken.bytes / VOTES,
    updates: taken.updates / VOTES,
  }
}

/** `all` lets everybody send it repeatedly; `isLast` recognizes the update after which all are reported. */
type Begun = { isLast: (update: Update) => boolean; all: () => Promise<unknown> }

function beginRound({ voters, poll }: Scene, kind: Kind): Begun {
  const count = VOTES / voters.length
  const all = () => Promise.all(voters.map(voter => voter.ask(kind, { count, ...poll, last: LAST_OPTION })))
  let texts = 0
  const isLastText = ({ type }: Update) => type === 'message' && ++texts === VOTES
  const ids = voters.map(voter => voter.state.chat)
  const isLastVote = ({ message }: Update) => {
    const chosen = message?.poll?.options[LAST_OPTION]?.voters.map(({ id }) => id) ?? []
    return ids.every(id => chosen.includes(id))
  }
  return { isLast: kind === 'vote' ? isLastVote : isLastText, all }
}

type Figure = { what: string; unit: string; better: 'more' | 'less' }

const row = ({ what, unit, better }: Figure, rounds: Rounds, of: (round: Round) => number): Row => ({
  what: `${what}, group of ${MEMBERS}`,
  ours: median(rounds.vote.map(of)),
  unit,
  peer: { what: 'texts in the same group', figure: median(rounds.say.map(of)), better },
})
