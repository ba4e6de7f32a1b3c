// A person who changes relays with every new connection, and follows their mailbox over all of them.
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountId } from '@postern/protocol'
import type { SeededRandom } from '@postern/testkit'
import type { BarePerson } from '@postern/testkit/bare-client'
import { type Kept, keptOf } from '../check/deed.ts'
import { GroupView } from './group-view.ts'
import { Line, refusalOf, untilNextDialMs } from './line.ts'
import { relayTraffic } from './pace.ts'

export type Surroundings = { urls: readonly string[]; random: SeededRandom; onFault: (what: string) => void }

export class Hopper {
  readonly person: BarePerson
  readonly surroundings: Surroundings
  readonly view: GroupView
  /** Everything that was delivered, over all connections. */
  readonly heard: Kept[] = []
  #line = Promise.withResolvers<Line>()
  #current: Line | undefined
  /** How many deliveries of the current connection were read. */
  #taken = 0
  #dialled = 0
  #acknowledged = 0
  #isEnded = false
  /** The number of logins. */
  logins = 0

  constructor(person: BarePerson, surroundings: Surroundings) {
    this.person = person
    this.surroundings = surroundings
    this.view = new GroupView(person.id)
    this.#dialled = surroundings.random.below(surroundings.urls.length)
  }

  get id(): AccountId {
    return this.person.id
  }

  /** The current connection, or the next one. */
  get line(): Promise<Line> {
    return this.#line.promise
  }

  /** Keeps a connection until `end`, and opens another one as soon as it is lost. May be called again after that. */
  async run(): Promise<void> {
    this.#isEnded = false
    while (!this.#isEnded) {
      const dialled = await this.#dial().catch(untilNextDialMs)
      if (typeof dialled === 'number') await pause(dialled)
      else await this.#keep(dialled)
    }
  }

  async #keep(line: Line): Promise<void> {
    if (this.#isEnded) return line.end()
    this.logins += 1
    this.#current = line
    this.#line.resolve(line)
    await line.over
    this.#take(line)
    this.#current = undefined
    this.#line = Promise.withResolvers()
  }

  /** Its connection is lost, and it opens another one. */
  cut(): void {
    this.#current?.end()
  }

  /** Opens no further connection. */
  end(): void {
    this.#isEnded = true
    this.cut()
  }

  async #dial(): Promise<Line> {
    const { urls, onFault } = this.surroundings
    const number = this.#dialled++
    const { line, session } = await Line.dial({
      url: urls[number % urls.length] as string,
      person: this.person,
      number,
    })
    if (session.cursor < this.#acknowledged) onFault(`${this.id}: its acknowledged cursor went back`)
    this.#acknowledged = session.cursor
    this.#taken = 0
    line.client.autoAcknowledge = true
    try {
      await line.inTime(line.client.call('follow', { after: this.heard.at(-1)?.cursor ?? 0 }))
    } catch (error) {
      line.end()
      throw error
    }
    return line
  }

  /** Reads new deliveries. */
  async listen(): Promise<void> {
    this.#take(await this.line)
  }

  /** Waits for everything that is there for them. */
  async hearAll(): Promise<void> {
    const { head } = await this.ask(line => line.client.call('mailboxEnd', {}))
    while ((this.heard.at(-1)?.cursor ?? 0) < head) {
      await pause(relayTraffic.tryAgainMs)
      await this.listen()
    }
  }

  #take(line: Line): void {
    for (const entry of line.client.entries.slice(this.#taken)) {
      const kept = keptOf(entry)
      this.heard.push(kept)
      this.view.hear(kept)
    }
    this.#taken = line.client.entries.length
  }

  /** Another relay, now: half of the time the old connection stays, and the new one has to replace it. */
  async hop(): Promise<void> {
    const line = await this.line
    if (this.surroundings.random.below(2) === 0) line.end()
    else line.leave()
  }

  /** Retries until it is answered, by any relay. */
  async ask<Answer>(call: (line: Line) => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const line = await this.line
      try {
        return await line.inTime(call(line))
      } catch (error) {
        if (refusalOf(error) !== undefined) throw error
        await pause(relayTraffic.tryAgainMs)
      }
    }
  }
}
