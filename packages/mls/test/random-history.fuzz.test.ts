// Random histories of a group: in each of them all members agree, read each other, and removed members know it. More of
// them: POSTERN_FUZZ_RUNS=200. A failure names its seed; keep it in SEEDS.
import { StoredSession } from '@postern/testkit/stored-session'
import { describe, expect, it } from 'vitest'
import { burnHandshakeGeneration, commitIntent, type MadeCommit } from '../src/group/commit-intent.ts'
import { openDirect, sealDirect } from '../src/group/direct.ts'
import {
  decryptMessage,
  encryptMessage,
  epochAuthenticator,
  type GroupSession,
  ownLeaf,
  rosterOf,
  settingsOf,
} from '../src/group/group-session.ts'
import type { GeneratedKeyPackage } from '../src/group/key-package.ts'
import { hex, text, utf8 } from './bytes.ts'
import { join, keyPackageOf, newGroup, type Person, person, readCommit, readText, wanted } from './people.ts'

const SEEDS = [1, 2, 3, 5, 8]
const STEPS = 30
const MEMBERS_MAX = 14

/** xorshift: small, and the same everywhere. */
function dice(seed: number): (sides: number) => number {
  let x = (seed * 2_654_435_761) >>> 0 || 1
  return sides => {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    x >>>= 0
    return x % sides
  }
}

/** A member with its rows: the epoch at its beginning, and the changes since. */
interface Seat {
  person: Person
  session: GroupSession
  stored: StoredSession
}

class History {
  readonly roll: (sides: number) => number
  seats: Seat[] = []
  #born = 0
  #settings = 'settings'

  constructor(seed: number) {
    this.roll = dice(seed)
  }

  async begin(): Promise<void> {
    const founder = await this.#newPerson()
    this.#sit(founder, await newGroup(founder))
  }

  async step(): Promise<string> {
    const committer = this.#any()
    const kind = this.roll(12)
    if (this.seats.length < 3 || (kind < 3 && this.seats.length < MEMBERS_MAX)) {
      return this.#change(committer, { adds: 1 + this.roll(3), removes: 0 })
    }
    if (kind < 4) return this.#change(committer, { adds: 0, removes: 0 })
    if (kind < 6) return this.#change(committer, { adds: 0, removes: 1 + this.roll(3) })
    if (kind < 7) return this.#change(committer, { adds: 1 + this.roll(2), removes: 1 })
    if (kind < 8) return this.#change(committer, { adds: this.roll(2), removes: this.roll(2), settings: true })
    if (kind < 9) return this.#lostRace(committer)
    if (kind < 10) return this.#restart(committer)
    if (kind < 11) return this.#direct(committer)
    return this.#talk(committer)
  }

  /** All members are in one epoch, with the same settings and the same people on the same leaves. */
  check(): void {
    const views = this.seats.map(({ session }) => ({
      authenticator: hex(epochAuthenticator(session)),
      settings: text(settingsOf(session)),
      people: [...rosterOf(session)].map(([leaf, { accountId }]) => `${leaf} ${accountId}`),
    }))
    for (const view of views) expect(view).toEqual(views[0])
    expect(views[0]?.settings).toBe(this.#settings)
    const accounts = new Set(this.seats.map(({ person }) => person.accountId))
    expect(new Set(views[0]?.people.map(line => line.split(' ')[1]))).toEqual(accounts)
  }

  async #change(committer: Seat, wish: { adds: number; removes: number; settings?: true }): Promise<string> {
    const joiners: { person: Person; keyPackage: GeneratedKeyPackage }[] = []
    for (let i = 0; i < wish.adds; i++) {
      const joiner = await this.#newPerson()
      joiners.push({ person: joiner, keyPackage: await keyPackageOf(joiner) })
    }
    const removed = this.#anyOthers(committer, wish.removes)
    const settings = wish.settings ? `settings ${this.roll(1000)}` : undefined
    const made = await commitIntent(committer.session, {
      add: joiners.map(({ person, keyPackage }) => wanted(person, keyPackage)),
      removeLeaves: removed.map(({ session }) => ownLeaf(session)),
      ...(settings !== undefined && { settings: utf8(settings) }),
    })
    this.#settings = settings ?? this.#settings
    await this.#adopt(committer, made, removed)
    for (const { person, keyPackage } of joiners) this.#sit(person, await join(made, keyPackage))
    return `leaf ${ownLeaf(committer.session)}: +${joiners.length} -${removed.length} ${settings ?? ''}`
  }

  async #adopt(committer: Seat, made: MadeCommit, removed: Seat[]): Promise<void> {
    for (const seat of this.seats) {
      if (seat === committer) continue
      const read = await readCommit(seat.session, made.wire)
      expect(read.removedSelf).toBe(removed.includes(seat))
      expect(read.committerLeaf).toBe(ownLeaf(committer.session))
      if (!read.removedSelf) this.#begin(seat, read.session)
    }
    this.#begin(committer, made.session)
    this.seats = this.seats.filter(seat => !removed.includes(seat))
  }

  /** Two members commit concurrently; the loser applies the winner's commit and makes its own again. */
  async #lostRace(winner: Seat): Promise<string> {
    const [loser] = this.#anyOthers(winner, 1) as [Seat]
    const [won, lost] = [await commitIntent(winner.session, {}), await commitIntent(loser.session, {})]
    this.#move(loser, await burnHandshakeGeneration(loser.session))
    await this.#adopt(winner, won, [])
    await expect(decryptMessage(winner.session, lost.wire)).rejects.toMatchObject({ code: 'mls-wrong-epoch' })
    await this.#adopt(loser, await commitIntent(loser.session, {}), [])
    return `leaf ${ownLeaf(loser.session)} lost a race against leaf ${ownLeaf(winner.session)}`
  }

  async #talk(sender: Seat): Promise<string> {
    const rounds = 1 + this.roll(3)
    for (let round = 0; round < rounds; round++) {
      const said = `${sender.person.name} ${this.roll(1_000_000)}`
      const { session, wire } = await encryptMessage(sender.session, utf8(said))
      this.#move(sender, session)
      // Occasionally the relay refuses one, and nobody ever sees it.
      if (this.roll(4) === 0) continue
      for (const seat of this.seats) {
        if (seat === sender) continue
        const read = await readText(seat.session, wire)
        expect([text(read.plaintext), read.senderLeaf]).toEqual([said, ownLeaf(sender.session)])
        this.#move(seat, read.session)
      }
    }
    return `leaf ${ownLeaf(sender.session)} said ${rounds} things`
  }

  async #direct(sender: Seat): Promise<string> {
    const [receiver] = this.#anyOthers(sender, 1) as [Seat]
    const wire = await sealDirect(sender.session, ownLeaf(receiver.session), utf8('only you'))
    const opened = await openDirect(receiver.session, wire)
    expect([text(opened.plaintext), opened.senderLeaf]).toEqual(['only you', ownLeaf(sender.session)])
    return `leaf ${ownLeaf(sender.session)} wrote to leaf ${ownLeaf(receiver.session)} alone`
  }

  #restart(seat: Seat): string {
    seat.session = seat.stored.open()
    return `leaf ${ownLeaf(seat.session)} restarted`
  }

  #sit(person: Person, session: GroupSession): void {
    this.seats.push({ person, session, stored: new StoredSession(session) })
  }
  #begin(seat: Seat, session: GroupSession): void {
    Object.assign(seat, { session, stored: new StoredSession(session) })
  }
  #move(seat: Seat, session: GroupSession): void {
    seat.session = seat.stored.save(seat.session, session)
  }
  #newPerson(): Promise<Person> {
    this.#born += 1
    return person(`person ${this.#born}`)
  }
  #any(): Seat {
    return this.seats[this.roll(this.seats.length)] as Seat
  }
  #anyOthers(seat: Seat, count: number): Seat[] {
    const others = this.seats.filter(other => other !== seat)
    const chosen: Seat[] = []
    while (chosen.length < count && others.length > 0) chosen.push(...others.splice(this.roll(others.length), 1))
    return chosen
  }
}

describe('random histories', () => {
  const runs = Number(process.env['POSTERN_FUZZ_RUNS'] ?? 0)
  const seeds = [...SEEDS, ...Array.from({ length: runs }, (_, run) => 1000 + run)]

  it.each(seeds)('[MLS-2.11] seed %i', async seed => {
    const history = new History(seed)
    const log: string[] = []
    try {
      await history.begin()
      for (let step = 0; step < STEPS; step++) {
        log.push(await history.step())
        history.check()
      }
    } catch (cause) {
      throw new Error(`seed ${seed} failed after: ${log.slice(-5).join('; ')}`, { cause })
    }
  })
})
