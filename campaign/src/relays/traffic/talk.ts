// People who talk in pairs and groups, come, go and are removed, with concurrent commits, until they are stopped.
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountId } from '@postern/protocol'
import type { SeededRandom } from '@postern/testkit'
import type { Deed } from '../check/deed.ts'
import { type Change, chooseChange } from './choose-change.ts'
import type { Hopper } from './hopper.ts'
import { refusalOf } from './line.ts'
import { makeCommit, makeDirect, makeFarewell, makeMessage } from './make-deed.ts'
import { relayTraffic } from './pace.ts'
import type { Room } from './rooms.ts'
import { type Sending, sendDeed } from './send-deed.ts'
import type { Uploads } from './uploads.ts'

type Cast = {
  hoppers: readonly Hopper[]
  rooms: readonly Room[]
  everybody: readonly AccountId[]
  uploads: Uploads
}

/** Ten entries for 1,000 people with every fault would be most of the work. */
const RACED_SIZE_MAX = 200

export class RelayTalk {
  readonly deeds: Deed[] = []
  readonly #cast: Cast
  readonly #random: SeededRandom
  readonly #bursts = new Set<Promise<void>>()
  #isStopped = false

  constructor(cast: Cast, random: SeededRandom) {
    this.#cast = cast
    this.#random = random
  }

  /** Creates every room, with its first members. */
  async open(): Promise<void> {
    const { hoppers, rooms } = this.#cast
    await Promise.all(
      rooms.map(async room => {
        const founder = hoppers.find(({ id }) => id === room.founder)
        if (!founder) throw new TypeError('a room is founded by somebody who sends')
        await founder.ask(line => line.client.call('createGroup', { group: room.group, continues: undefined }))
        await this.#send(founder, makeCommit({ room, sender: founder.id, epoch: 0 }, { add: room.first, remove: [] }))
      }),
    )
  }

  async run(): Promise<void> {
    await Promise.all(this.#cast.hoppers.map(hopper => this.#talk(hopper)))
    await Promise.all(this.#bursts)
  }

  stop(): void {
    this.#isStopped = true
  }

  /** Several members of one room end its epoch at the same time, and others send meanwhile. */
  race(): void {
    const room = this.#random.of(this.#cast.rooms.filter(({ size }) => size > 2 && size <= RACED_SIZE_MAX))
    const racers = this.#cast.hoppers.filter(({ view }) => view.epochOf(room.group) !== undefined)
    for (const [at, hopper] of racers.slice(0, relayTraffic.racers * 2).entries()) {
      const burst = (at < relayTraffic.racers ? this.#commit(hopper, room) : this.#say(hopper, room)).finally(() =>
        this.#bursts.delete(burst),
      )
      this.#bursts.add(burst)
    }
  }

  /** Until this many more were accepted: a fault without traffic tests nothing. Bounded, because the fault may last. */
  async flows(accepted: number): Promise<void> {
    const wanted = this.#acceptedCount() + accepted
    for (let left = relayTraffic.flowLooks; left > 0 && this.#acceptedCount() < wanted; left--)
      await pause(relayTraffic.tryAgainMs)
  }

  #acceptedCount(): number {
    return this.deeds.filter(({ told }) => told[0]?.kind === 'accepted').length
  }

  async #talk(hopper: Hopper): Promise<void> {
    const inFlight = new Set<Promise<void>>()
    while (!this.#isStopped) {
      await hopper.listen()
      const work = this.#doSomething(hopper).finally(() => inFlight.delete(work))
      inFlight.add(work)
      if (inFlight.size >= relayTraffic.inFlightMax) await Promise.race(inFlight)
      await pause(this.#random.below(relayTraffic.pauseMs))
    }
    await Promise.all(inFlight)
  }

  async #doSomething(hopper: Hopper): Promise<void> {
    if (this.#random.below(60) === 0) return await hopper.hop()
    if (this.#random.below(40) === 0) return void (await this.#cast.uploads.put(hopper))
    const rooms = this.#cast.rooms.filter(({ group }) => hopper.view.epochOf(group) !== undefined)
    const sizes = [...new Set(rooms.map(({ size }) => size))].toSorted((one, other) => one - other)
    if (sizes.length === 0) return
    // Most messages are in pairs, few are to 200, and one of 500 is to 1,000.
    const roll = this.#random.below(500)
    const size = sizes[Math.min(sizes.length - 1, roll < 300 ? 0 : roll < 450 ? 1 : roll < 499 ? 2 : 3)]
    const room = this.#random.of(rooms.filter(each => each.size === size))
    if (room.size === 2) return await this.#say(hopper, room)
    const deed = this.#random.below(100)
    if (deed < 15) return await this.#commit(hopper, room)
    if (deed < 17) return await this.#leave(hopper, room)
    if (deed < 27) return await this.#sayTo(hopper, room)
    return await this.#say(hopper, room)
  }

  async #say(hopper: Hopper, room: Room): Promise<void> {
    const epoch = hopper.view.epochOf(room.group)
    if (epoch !== undefined) await this.#send(hopper, makeMessage({ room, sender: hopper.id, epoch }))
  }

  async #sayTo(hopper: Hopper, room: Room): Promise<void> {
    const others = this.#cast.hoppers.filter(
      ({ id, view }) => id !== hopper.id && view.epochOf(room.group) !== undefined,
    )
    const epoch = hopper.view.epochOf(room.group)
    if (epoch === undefined || others.length === 0) return
    await this.#send(hopper, makeDirect({ room, sender: hopper.id, epoch }, this.#random.of(others).id))
  }

  async #leave(hopper: Hopper, room: Room): Promise<void> {
    const epoch = hopper.view.epochOf(room.group)
    if (epoch !== undefined) await this.#send(hopper, makeFarewell({ room, sender: hopper.id, epoch }))
  }

  async #commit(hopper: Hopper, room: Room): Promise<void> {
    const standing = await hopper
      .ask(line => line.client.call('getGroup', { group: room.group }))
      .catch((error: unknown) => {
        if (refusalOf(error) !== 'group-unknown') throw error
        hopper.view.isOut(room.group)
      })
    if (!standing) return
    const { epoch, members } = standing
    const change: Change = chooseChange(
      this.#random,
      { size: room.size, members, self: hopper.id },
      { active: this.#cast.hoppers.map(({ id }) => id), everybody: this.#cast.everybody },
    )
    await this.#send(hopper, makeCommit({ room, sender: hopper.id, epoch }, change))
  }

  async #send(hopper: Hopper, sending: Sending): Promise<void> {
    this.deeds.push(sending.deed)
    await sendDeed(hopper, sending)
  }
}
