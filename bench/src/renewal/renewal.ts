// New keys for the own leaf: the cost of the commit for its maker and each member, and its size.
import { makeMlsPair } from '../crypto/mls-pair.ts'
import { inTurn, median } from '../figures.ts'
import { commitIntent, decryptMessage, encryptMessage, type GroupSession } from '../inside.ts'
import type { Row } from '../table.ts'

const ROUNDS = 9
const SIZES = [2, 50, 1000]
const text = new Uint8Array(100)

type Timed = { makeMs: number[]; followMs: number[]; textMs: number[]; bytes: number }

export async function measureRenewal(): Promise<Row[]> {
  const rows: Row[] = []
  for (const members of SIZES) rows.push(...rowsOf(members, await timed(members)))
  return rows
}

async function timed(members: number): Promise<Timed> {
  let { alice, bob } = await makeMlsPair(members)
  const into: Timed = { makeMs: [], followMs: [], textMs: [], bytes: 0 }
  const renew = async () => {
    const made = await timeOf(() => commitIntent(alice, {}))
    const followed = await timeOf(() => decryptMessage(bob, made.value.wire))
    into.makeMs.push(made.ms)
    into.followMs.push(followed.ms)
    into.bytes = made.value.wire.length
    alice = made.value.session
    bob = followed.value.session
  }
  const speak = async () => {
    const { session, ms } = await textBetween(alice, bob)
    into.textMs.push(ms)
    ;({ alice, bob } = session)
  }
  await inTurn(ROUNDS, [renew, speak])
  return into
}

/** The second message of an epoch: the first one also descends the tree of secrets. */
async function textBetween(
  alice: GroupSession,
  bob: GroupSession,
): Promise<{ session: { alice: GroupSession; bob: GroupSession }; ms: number }> {
  const first = await encryptMessage(alice, text)
  const heard = (await decryptMessage(bob, first.wire)).session
  const { value, ms } = await timeOf(async () => {
    const second = await encryptMessage(first.session, text)
    return { alice: second.session, bob: (await decryptMessage(heard, second.wire)).session }
  })
  return { session: value, ms }
}

async function timeOf<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const startedMs = performance.now()
  return { value: await work(), ms: performance.now() - startedMs }
}

function rowsOf(members: number, { makeMs, followMs, textMs, bytes }: Timed): Row[] {
  const peer = { what: 'one text, encrypted and read', figure: median(textMs), better: 'less' as const }
  return [
    { what: `new keys made, ${members} members`, ours: median(makeMs), unit: 'ms', peer },
    { what: `new keys followed, ${members} members`, ours: median(followMs), unit: 'ms', peer },
    { what: `commit of new keys, ${members} members`, ours: bytes, unit: 'bytes' },
  ]
}
