// The contract of the end of a turn on every platform,
// and the wire order that a connection to the relay derives from it.
import { silentLog, systemClock } from '@postern/protocol'
import { type Delivery, encodeRelayFrame } from '@postern/protocol/relay'
import { describe, expect, it } from 'vitest'
import { RelayLink } from '../../src/relay-link/relay-link.ts'
import type { SocketEvents } from '../../src/relay-link/socket.ts'

export type Turns = {
  afterTurn: (run: () => void) => void
  /** As the platform calls for a frame: in a task of its own. */
  inTask: (run: () => void) => void
}

const taskOf = ({ inTask }: Turns) => new Promise<void>(resolve => inTask(resolve))

const challenge = encodeRelayFrame({ kind: 'challenge', nonce: new Uint8Array(32), nowMs: 0 })
const session = { account: 'a'.repeat(32) as never, cursor: 0, mark: 0, keyPackages: 0, nowMs: 0 }
const letIn = encodeRelayFrame({
  kind: 'answer',
  name: 'authenticate',
  id: 1,
  answer: { ...session, incarnation: new Uint8Array(16) },
})
const answer = encodeRelayFrame({ kind: 'answer', name: 'ping', id: 9, answer: { nowMs: 0 } })
const pageAfter = (after: number) => encodeRelayFrame({ kind: 'deliver', after, entries: [] })

/** A link that is online, and the positions of the pages in the order in which it passes them on. */
async function linked(turns: Turns) {
  const handed: number[] = []
  let line: SocketEvents | undefined
  const link = new RelayLink({
    relayUrl: 'http://relay.example',
    clock: systemClock,
    log: silentLog,
    jitter: () => 0,
    connect: (_, events) => {
      line = events
      return { send: frame => frame[1] === 1 && events.message(letIn), close: () => undefined }
    },
    prove: async (_, audience) => ({
      accountKey: new Uint8Array(32),
      deviceKey: new Uint8Array(32),
      certificate: new Uint8Array(72),
      audience,
      signature: new Uint8Array(64),
      intent: 'login',
      invite: undefined,
    }),
    onSession: async () => undefined,
    onEphemeral: () => undefined,
    onPage: ({ after = -1 }: Delivery) => {
      handed.push(after)
      return 'news'
    },
    onTime: () => undefined,
    onRevoked: () => 'over',
    afterTurn: turns.afterTurn,
  })
  link.start()
  line?.message(challenge)
  while (!link.isOnline) await taskOf(turns)
  const receive = (frame: Uint8Array) => line?.message(frame)
  return { link, handed, receive }
}

/** Each frame is a separate task; `ahead` of them wait while the others are handled. */
async function receiveAll(turns: Turns, frames: Uint8Array[], { receive, ahead }: Receiving): Promise<void> {
  let next = 0
  let handled = 0
  const post = () => {
    const frame = frames[next++]
    if (!frame) return
    turns.inTask(() => {
      receive(frame)
      handled++
      post()
    })
  }
  for (let count = 0; count < ahead; count++) post()
  while (handled < frames.length) await taskOf(turns)
  for (let count = 0; count < 3; count++) await taskOf(turns)
}

type Receiving = { receive: (frame: Uint8Array) => void; ahead: number }

/** Pages in rising order with answers between them: many runs of each kind. */
function mixedFrames(seed: number): Uint8Array[] {
  let state = seed
  let places = 0
  return Array.from({ length: 60 }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state % 7 < 3 ? answer : pageAfter(places++)
  })
}

export function describeTurnEnd(title: string, turns: () => Turns): void {
  describe(`the end of a turn ${title}`, () => {
    it('[CORE-24.9] comes once for each that waits for it, in order, behind the microtasks of the turn', async () => {
      const { afterTurn, inTask } = turns()
      const seen: string[] = []
      afterTurn(() => seen.push('first'))
      queueMicrotask(() => seen.push('microtask'))
      afterTurn(() => {
        seen.push('second')
        afterTurn(() => seen.push('third'))
      })
      seen.push('turn')
      while (seen.length < 5) await taskOf({ afterTurn, inTask })
      for (let count = 0; count < 3; count++) await taskOf({ afterTurn, inTask })
      expect(seen).toEqual(['turn', 'microtask', 'first', 'second', 'third'])
    })

    it('[CORE-3.8] lets no page of a mailbox overtake another, however frames and answers are mixed', async () => {
      for (let seed = 1; seed <= 20; seed++) {
        for (const ahead of [1, 2, 3, 5, 60]) {
          const { link, handed, receive } = await linked(turns())
          const frames = mixedFrames(seed)
          await receiveAll(turns(), frames, { receive, ahead })
          link.stop()
          expect(handed).toEqual(handed.map((_, at) => at))
          expect(handed).toHaveLength(frames.filter(frame => frame !== answer).length)
        }
      }
    })

    it('[CORE-5.4] a page behind an answer waits until what the answer brings has been done', async () => {
      const { link, handed, receive } = await linked(turns())
      const order: string[] = []
      const answered = link.call('ping', {}).then(() => order.push('answered'))
      for (let id = 1; id <= 3; id++)
        receive(encodeRelayFrame({ kind: 'answer', name: 'ping', id, answer: { nowMs: 0 } }))
      receive(pageAfter(0))
      order.push(`handed ${handed.length}`)
      await answered
      order.push(`handed ${handed.length}`)
      while (handed.length === 0) await taskOf(turns())
      link.stop()
      expect(order).toEqual(['handed 0', 'answered', 'handed 0'])
    })
  })
}
