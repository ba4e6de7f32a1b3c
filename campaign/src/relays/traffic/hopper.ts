// Somebody who goes to another relay with every new connection, and sends again, or asks for, whatever was not answered.
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountId } from '@postern/protocol'
import type { CallRequest, Verdict } from '@postern/protocol/relay'
import type { SeededRandom } from '@postern/testkit'
import type { BarePerson } from '@postern/testkit/bare-client'
import { type Deed, type Kept, keptOf } from '../check/deed.ts'
import { GroupView } from './group-view.ts'
import { relayTraffic } from './limits.ts'
import { Line, refusalOf } from './line.ts'

export type Sending = {
  deed: Deed
  call: { name: 'append'; request: CallRequest<'append'> } | { name: 'commit'; request: CallRequest<'commit'> }
}
type Surroundings = { urls: readonly string[]; random: SeededRandom; onFault: (what: string) => void }

export class Hopper {
  readonly person: BarePerson
  readonly view: GroupView
  /** Everything that was delivered, over all connections. */
  readonly heard: Kept[] = []
  readonly #surroundings: Surroundings
  #line = Promise.withResolvers<Line>()
  #taken = 0
  #dialled = 0
  #acknowledged = 0
  #isEnded = false
  /** How often they were let in. */
  logins = 0

  constructor(person: BarePerson, surroundings: Surroundings) {
    this.person = person
    this.view = new GroupView(person.id)
    this.#surroundings = surroundings
    this.#dialled = surroundings.random.below(surroundings.urls.length)
  }

  get id(): AccountId {
    return this.person.id
  }

  /** Keeps a connection until `end`, and another one as soon as it is lost. */
  async run(): Promise<void> {
    while (!this.#isEnded) {
      const line = await this.#dial().catch(() => undefined)
      if (!line) {
        await pause(relayTraffic.dialAgainMs)
        continue
      }
      this.#line.resolve(line)
      await line.over
      this.#take(line)
      this.#line = Promise.withResolvers()
    }
  }

  async end(): Promise<void> {
    this.#isEnded = true
    const line = await this.#line.promise
    line.end()
  }

  async #dial(): Promise<Line> {
    const { urls, onFault } = this.#surroundings
    const number = this.#dialled++
    const url = urls[number % urls.length] as string
    const { line, session } = await Line.dial({ url, person: this.person, number })
    if (session.cursor < this.#acknowledged) onFault(`${this.id}: its acknowledged cursor went back`)
    this.#acknowledged = session.cursor
    line.client.autoAcknowledge = true
    this.#taken = 0
    await line.inTime(line.client.call('follow', { after: this.heard.at(-1)?.cursor ?? 0 }))
    this.logins += 1
    return line
  }

  /** Reads what came in since. */
  async listen(): Promise<void> {
    this.#take(await this.#line.promise)
  }

  /** All that is there for them by now. */
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

  /** Another relay, now: half of the time the old connection stays, and the new one has to take its place. */
  async hop(): Promise<void> {
    const line = await this.#line.promise
    if (this.#surroundings.random.below(2) === 0) line.end()
    else line.leave()
  }

  /** Until it is answered, by whichever relay. */
  async ask<Answer>(call: (line: Line) => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const line = await this.#line.promise
      try {
        return await line.inTime(call(line))
      } catch (error) {
        if (refusalOf(error) !== undefined) throw error
        await pause(relayTraffic.tryAgainMs)
      }
    }
  }

  /** Until it is known what became of it. */
  async send(sending: Sending): Promise<void> {
    const { random } = this.#surroundings
    for (let tries = 0; ; tries++) {
      const line = await this.#line.promise
      const isKnown =
        tries > 0 && random.below(3) === 0 ? await this.#askFor(sending, line) : await this.#try(sending, line)
      if (isKnown) return
      await pause(random.below(relayTraffic.tryAgainMs))
    }
  }

  async #try({ deed, call }: Sending, line: Line): Promise<boolean> {
    const place = line.nextPlace()
    let isAnswered = false
    const answered = line.inTime(line.client.call(call.name, call.request)).then(
      verdict => {
        // Also when it comes late, on a connection that was left: what is accepted then has to be there.
        if (verdict.accepted || !isAnswered) this.#tell(deed, { verdict, line, place })
        return true
      },
      (error: unknown) => isAnswered || this.#refused(deed, error),
    )
    const isKnown = await Promise.race([answered, line.over.then(() => answeredIn(answered))])
    isAnswered = true
    return isKnown
  }

  /** By the newest connection: what the older ones had under way is settled, so that what is not there stays away. */
  async #askFor({ deed }: Sending, line: Line): Promise<boolean> {
    const { group, message } = deed
    try {
      const verdict = await line.inTime(line.client.call('outcome', { group, message }))
      if (verdict.accepted) this.#tell(deed, { verdict, line, place: line.nextPlace() })
      else deed.told.push({ kind: 'absent', why: 'given up, for it is in no log' })
      return true
    } catch (error) {
      return this.#refused(deed, error)
    }
  }

  #tell(deed: Deed, { verdict, line, place }: { verdict: Verdict; line: Line; place: number }): void {
    const { accepted, epoch } = verdict
    this.view.stands(deed.group, { epoch, isIn: deed.kind !== 'leave' || !accepted })
    if (!accepted) return void deed.told.push({ kind: 'absent', why: `the group is in epoch ${epoch}` })
    const { seq, ts, duplicate } = accepted
    deed.told.push({ kind: 'accepted', seq, ts, isDuplicate: duplicate, line: line.number, place })
  }

  #refused(deed: Deed, error: unknown): boolean {
    const why = refusalOf(error)
    if (why === undefined) {
      if ((error as { code?: string }).code === 'internal')
        this.#surroundings.onFault(`${deed.message}: ${String(error)}`)
      return false
    }
    if (why === 'group-unknown') this.view.isOut(deed.group)
    deed.told.push({ kind: 'absent', why })
    return true
  }
}

/** What is there already counts, also on a connection that is over. */
const answeredIn = (answered: Promise<boolean>): Promise<boolean> => Promise.race([answered, pause(0, false)])
