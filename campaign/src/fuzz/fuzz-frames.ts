// Sends mutated frames to a relay, before and after a login: it always answers, refuses or closes, and continues to
// serve others.
import { CodedError, isCoded } from '@postern/protocol'
import { decodeRelayFrame } from '@postern/protocol/relay'
import { SeededRandom } from '@postern/testkit'
import { type BarePerson, commitEnvelope, newGroupId, newPerson, TestClient } from '@postern/testkit/bare-client'
import { bentBytes } from './bend-bytes.ts'
import type { Case } from './fuzz-requests.ts'
import { HttpLine } from './http-line.ts'
import { rightFrame, type Standing } from './right-frames.ts'

export type FramePlan = { frames: number; seed: number; first: number }

const SPEAKERS = 4
const BEFORE_LOGIN_SHARE = 0.1
const WIRE_SHARE = 0.02
const BENT_SHARE = 0.85
const ANSWER_WITHIN_MS = 60_000
const CASES_MAX = 50
const STEP = 0x85ebca6b

const randomOf = (seed: number, number: number): SeededRandom => new SeededRandom(seed ^ Math.imul(number + 1, STEP))

export class FrameFuzz {
  readonly #relayUrl: string
  readonly #plan: FramePlan
  readonly counts: Record<string, number> = {}
  readonly cases: Case[] = []
  #next: number

  constructor(relayUrl: string, plan: FramePlan) {
    this.#relayUrl = relayUrl
    this.#plan = plan
    this.#next = plan.first
  }

  async run(): Promise<void> {
    const people = Array.from({ length: SPEAKERS }, () => newPerson())
    // Each of them adds the others to its group as soon as it is there.
    await Promise.all(people.map(person => this.#register(person)))
    await Promise.all(people.map(person => this.#speak(person, people)))
  }

  async #speak(person: BarePerson, people: BarePerson[]): Promise<void> {
    const others = people.filter(other => other !== person).map(({ id }) => id)
    let line = await this.#login(person, others)
    const end = this.#plan.first + this.#plan.frames
    for (let number = this.#next++; number < end && this.cases.length < CASES_MAX; number = this.#next++) {
      const random = randomOf(this.#plan.seed, number)
      const share = random.next()
      if (share < WIRE_SHARE) await this.#spoilWire(number, random)
      else if (share < BEFORE_LOGIN_SHARE) await this.#beforeLogin(number, { person, others, random })
      else if (!(await this.#sendFrame(number, { line, random }))) line = await this.#login(person, others)
    }
    line.client.socket.terminate()
  }

  /** Returns whether the connection is still open. */
  async #sendFrame(number: number, { line, random }: { line: Line; random: SeededRandom }): Promise<boolean> {
    const { client, standing } = line
    const right = rightFrame(standing, random)
    const bytes = random.next() < BENT_SHARE ? bentBytes(right, random) : right
    client.socket.send(bytes)
    const outcome = await within(Promise.race([client.call('ping', {}), client.closed]))
    this.#count(outcome === 'closed' ? 'frames that ended the connection' : 'frames')
    if (outcome === 'late') this.#fail(number, { fault: 'neither it nor a ping behind it was answered', bytes })
    for (const fault of line.faults.splice(0)) this.#fail(number, { fault, bytes })
    return outcome === 'answered'
  }

  async #beforeLogin(number: number, { person, others, random }: Newcomer): Promise<void> {
    const line = await this.#connect(person, others)
    await this.#sendFrame(number, { line, random })
    line.client.socket.terminate()
  }

  /** Bytes that are not a WebSocket frame at all. */
  async #spoilWire(number: number, random: SeededRandom): Promise<void> {
    const { port, host } = new URL(this.#relayUrl)
    const head = `GET /relay/v1 HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`
    const noise = Buffer.from(Array.from({ length: random.below(200) }, () => random.below(256)))
    const bytes = Buffer.concat([Buffer.from(head), noise])
    const line = new HttpLine(Number(port))
    const heard = await line.ask({ bytes, answers: 1, isHead: false, withinMs: ANSWER_WITHIN_MS, ends: true })
    line.close()
    this.#count('bytes that are no frame')
    if (heard.kind === 'late') this.#fail(number, { fault: 'the connection was not closed', bytes })
  }

  async #register(person: BarePerson): Promise<void> {
    const client = new TestClient(this.#relayUrl)
    await client.authenticate(person)
    await client.close()
  }

  async #login(person: BarePerson, others: Standing['others']): Promise<Line> {
    const line = await this.#connect(person, others)
    const { client, standing } = line
    await client.authenticate(person)
    client.autoAcknowledge = true
    await client.call('createGroup', { group: standing.group, continues: undefined })
    await client.commit(commitEnvelope({ group: standing.group, epoch: 0 }), { add: others })
    standing.epoch = 1
    standing.blob = (await client.call('beginBlob', { size: 10 })).blob
    return line
  }

  async #connect(person: BarePerson, others: Standing['others']): Promise<Line> {
    const client = new TestClient(this.#relayUrl)
    const faults: string[] = []
    client.socket.on('message', data => {
      const frame = decodeRelayFrame(data as Buffer)
      if (frame.kind === 'failure' && frame.code === 'internal')
        faults.push(`it was answered internal: ${frame.message}`)
    })
    const { nonce } = await client.challenge
    const standing = { person, others, group: newGroupId(), epoch: 0, blob: NO_BLOB, nonce, audience: client.host }
    return { client, standing, faults }
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }

  #fail(number: number, { fault, bytes }: { fault: string; bytes: Uint8Array }): void {
    if (this.cases.every(known => known.fault !== fault))
      this.cases.push({ what: `frame ${number}`, fault, bytes: Buffer.from(bytes) })
  }
}

type Line = { client: TestClient; standing: Standing; faults: string[] }
type Newcomer = { person: BarePerson; others: Standing['others']; random: SeededRandom }

const NO_BLOB = 'a'.repeat(26) as Standing['blob']

/** The outcome of a ping. A refusal is an answer, too; a closed connection rejects it. */
async function within(work: Promise<unknown>): Promise<'answered' | 'closed' | 'late'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>(resolve => {
    timer = setTimeout(() => resolve('late'), ANSWER_WITHIN_MS)
  })
  const outcome = work.then(
    value => (value !== null && typeof value === 'object' && 'nowMs' in value ? 'answered' : 'closed'),
    (error: unknown) => (error instanceof CodedError && !isCoded(error, 'internal') ? 'answered' : 'closed'),
  )
  try {
    return await Promise.race([outcome, late])
  } finally {
    clearTimeout(timer)
  }
}
