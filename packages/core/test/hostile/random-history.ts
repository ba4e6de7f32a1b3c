// One random history of a group with attackers among its members, and what honest members must agree on at its end.
import type { Notice } from '@postern/bot-api/events'
import { type AccountId, clientLimits, isCoded } from '@postern/protocol'
import { type SeededRandom, type TestPerson, WITHIN, type World } from '@postern/testkit'
import { expect } from 'vitest'
import { findGroup } from '../../src/groups/group-records.ts'
import { type Attack, attacks, farewells, SPLITTING } from './history-attacks.ts'
import { Player, type Stage } from './history-players.ts'
import type { HurriedClock } from './hurried-clock.ts'
import { coreOf, groupOf, keyHolders } from './modified-client.ts'

const IN_TURN = Object.entries(attacks).filter(([name]) => !Object.values(SPLITTING).includes(name))
/** About half of these are farewells. */
const WITH_FAREWELLS = [...IN_TURN, ...Array.from({ length: 5 }, () => Object.entries(farewells)).flat()]
const DAY_MS = 24 * 3600 * 1000
const UNDER_WAY_MAX = 4
/** From then on, the honest ones wait for the next answer to a refused group. */
const ANSWERED_AFTER_CHECKS = 200

/** Its recipients: the members that its speaker was shown all the time. */
type Told = { text: string; members: Set<string> }

/** `withFarewells`: the attackers also leave, and pretend to. */
export type HistoryOptions = {
  world: World
  clock: HurriedClock
  name: string
  attackers: number
  withFarewells?: boolean
}

type Beginning = {
  stage: Stage
  name: string
  players: Player[]
  stranger: AccountId
  withFarewells: boolean
}

export class RandomHistory {
  readonly #random: SeededRandom
  readonly #stage: Stage
  readonly #name: string
  readonly #attacks: readonly (readonly [string, Attack])[]
  readonly #players: Player[]
  readonly #stranger: AccountId
  /** In the order in which they were acknowledged. */
  readonly #told: Told[] = []
  readonly #underWay = new Set<Promise<void>>()
  readonly #failures: unknown[] = []
  readonly done: string[] = []
  readonly #removed = new Set<string>()
  #newcomers = 0

  private constructor(random: SeededRandom, { stage, name, players, stranger, withFarewells }: Beginning) {
    this.#random = random
    this.#stage = stage
    this.#name = name
    this.#players = players
    this.#stranger = stranger
    this.#attacks = withFarewells ? WITH_FAREWELLS : IN_TURN
  }

  /** Alice has made the group and is its only admin. */
  static async begin(random: SeededRandom, options: HistoryOptions): Promise<RandomHistory> {
    const { world, clock, name, attackers, withFarewells = false } = options
    const honest: TestPerson[] = []
    for (const one of ['alice', 'bob', 'carol']) honest.push(await world.person(`${one} ${name}`, { clock }))
    const hostile: TestPerson[] = []
    for (let at = 1; at <= attackers; at++) hostile.push(await world.person(`mallory ${at} ${name}`, { clock }))
    const stranger = await world.person(`stranger ${name}`, { clock })
    const [alice, ...others] = [...honest, ...hostile] as [TestPerson, ...TestPerson[]]
    const { id } = await alice.client.chats.createGroup(
      { name: 'team', members: others.map(person => person.id) },
      WITHIN,
    )
    for (const person of others) await person.next('chat', event => event.chat_id === id)
    const stage = { world, clock, chat: id }
    const players = [
      ...honest.map(person => new Player(stage, person, { isHonest: true })),
      ...hostile.map(person => new Player(stage, person, { isHonest: false })),
    ]
    return new RandomHistory(random, { stage, name, players, stranger: stranger.id, withFarewells })
  }

  /** A player begins something; the others continue meanwhile. */
  async step(number: number): Promise<void> {
    const work = this.#next(number).catch(
      (error: unknown) => void this.#failures.push(error instanceof Error ? error.stack : error),
    )
    this.#underWay.add(work)
    void work.finally(() => this.#underWay.delete(work))
    const most = 1 + this.#random.below(UNDER_WAY_MAX)
    while (this.#underWay.size >= most) await Promise.race(this.#underWay)
  }

  async #next(number: number): Promise<void> {
    const chance = this.#random.below(20)
    const player = this.#random.of(this.#honest())
    if (chance < 9) return await this.#say(player, `text ${number}`)
    if (chance < 14) return await this.#attack(number)
    if (chance < 16) return await this.#change(player, number)
    if (chance < 17) return await this.#add(player, number)
    if (chance < 18) return await this.#remove(number)
    if (chance < 19) return player.drop()
    this.#note(number, player, 'is started anew')
    await player.restart()
  }

  #honest(): Player[] {
    return this.#players.filter(player => player.isHonest)
  }

  #note(number: number, player: Player, what: string): void {
    this.done.push(`${number} ${player.name}: ${what}`)
  }

  async #say(player: Player, text: string): Promise<void> {
    const before = player.shown()
    this.done.push(`${player.name} says ${text}`)
    await player.say(text)
    this.#told.push({ text, members: before.intersection(player.shown()) })
    this.done.push(`${player.name} said ${text}`)
  }

  async #attack(number: number): Promise<void> {
    const attackers = this.#players.filter(player => !player.isHonest)
    if (attackers.length === 0) return
    const attacker = this.#random.of(attackers)
    const [name, attack] = this.#random.of(this.#attacks)
    const victim = this.#random.of(this.#honest())
    this.#note(number, attacker, `${name} (${victim.name})`)
    const target = { chat: this.#stage.chat, victim: victim.id, stranger: this.#stranger }
    const what = await attack(attacker.person, target).then(
      () => 'done',
      (error: unknown) => `not done: ${String(error)}`,
    )
    this.#note(number, attacker, `${name} ${what}`)
  }

  /** The title or the timer, which must not end while the history lasts. */
  async #change(player: Player, number: number): Promise<void> {
    const { chat } = this.#stage
    const isTitle = this.#random.below(2) === 0
    this.#note(number, player, isTitle ? 'renames' : 'sets the timer')
    await player.insist(async ({ client }) => {
      if (isTitle) await client.chats.renameGroup(chat, `title ${number}`, WITHIN)
      else await client.chats.setTimer(chat, DAY_MS + number, WITHIN)
    })
    this.#note(number, player, isTitle ? 'has renamed' : 'has set the timer')
  }

  async #add(player: Player, number: number): Promise<void> {
    const { world, clock, chat } = this.#stage
    const dave = await world.person(`dave ${++this.#newcomers} ${this.#name}`, { clock })
    this.#note(number, player, `adds ${dave.name}`)
    await player.insist(person => person.client.chats.addMembers(chat, [dave.id], WITHIN))
    await expect.poll(() => dave.client.chats.list().map(one => one.id)).toContain(chat)
    this.#players.push(new Player(this.#stage, dave, { isHonest: true }))
    this.#note(number, player, `added ${dave.name}`)
  }

  /** By alice: an attacker before it is found out, or after. */
  async #remove(number: number): Promise<void> {
    const alice = this.#players[0] as Player
    const attackers = this.#players.filter(player => !player.isHonest)
    if (attackers.length < 2) return
    const { id, name } = this.#random.of(attackers)
    this.#note(number, alice, `removes ${name}`)
    await alice.insist(async person => {
      const isMember = person.client.chats.get(this.#stage.chat).members.some(member => member.id === id)
      if (isMember) await person.client.chats.removeMembers(this.#stage.chat, [id], WITHIN).catch(whenNoMember)
    })
    this.#removed.add(id)
    this.#note(number, alice, `removed ${name}`)
  }

  /** The view that all honest members must agree on. */
  #view(player: Player) {
    const { chat } = this.#stage
    const { client } = player.person
    const { members, name, timer_ms, state } = client.chats.get(chat)
    const group = findGroup(coreOf(player.person).store, groupOf(player.person, chat))
    return {
      group: `${group?.id} ${group?.generation} ${group?.epoch} ${group?.status}`,
      members: members.map(member => member.id).toSorted(),
      admins: members.flatMap(member => (member.admin ? [member.id] : [])),
      name,
      timer_ms,
      state,
    }
  }

  async expectAgreement(): Promise<void> {
    await Promise.all(this.#underWay)
    expect(this.#failures).toEqual([])
    // The next message finds a member that was split off; all receive the message after that.
    await this.#everybodySays('to be found')
    await this.#settle()
    const healedAt = this.#told.length
    await this.#everybodySays('at the end')
    const [alice] = this.#honest() as [Player]
    for (const player of this.#honest()) {
      await expect.poll(() => this.#unheard(player, { from: healedAt })).toEqual([])
      expect(this.#unexcused(player)).toEqual([])
      expect(doubled(player.texts().filter(text => this.#told.some(told => told.text === text)))).toEqual([])
      expect(this.#honest().filter(({ id }) => !player.shown().has(id))).toEqual([])
    }
    await this.#settle()
    for (const player of this.#honest())
      await expect.poll(() => keyHolders(player.person, this.#stage.chat)).toEqual([...player.shown()].toSorted())
    expect(this.#view(alice).admins).toEqual([alice.id])
    const people = alice.shown()
    const who = (ids: Set<string>) => this.#players.filter(({ id }) => ids.has(id)).map(({ name }) => name)
    expect(who(this.#offendersFor(alice).intersection(people)), 'offenders').toEqual([])
    expect(who(this.#removed.intersection(people)), 'removed').toEqual([])
  }

  async #everybodySays(what: string): Promise<void> {
    for (const player of this.#honest()) await this.#say(player, `${player.name} ${what}`)
  }

  async #settle(): Promise<void> {
    const agreed = () => {
      const [first, ...others] = this.#honest().map(player => this.#view(player))
      for (const view of others) expect(view).toEqual(first)
      expect(first?.group).toMatch(/open$/)
      expect(first?.state).toBe('active')
    }
    let checks = 0
    const settled = (): string => {
      const why = this.#isMet(agreed)
      if (why !== '' && ++checks === ANSWERED_AFTER_CHECKS) this.#stage.clock.advance(clientLimits.answerRefusedEveryMs)
      return why
    }
    await expect.poll(settled, { interval: 50 }).toBe('')
  }

  #isMet(check: () => void): string {
    try {
      check()
      return ''
    } catch (error) {
      return (
        this.#honest()
          .map(player => player.name + JSON.stringify(this.#view(player)))
          .join('\n') + (error as Error).message
      )
    }
  }

  #unheard(player: Player, { from }: { from: number }): string[] {
    const heard = new Set(player.texts())
    const expected = this.#told.slice(from).filter(({ members }) => members.has(player.id))
    return expected.map(({ text }) => text).filter(text => !heard.has(text))
  }

  /** A member that an attacker has kept from the keys, or from the relay, misses messages, and got a notice. */
  #unexcused(player: Player): string[] {
    const isTold = (notice: Notice): boolean =>
      ['undecryptable', 'missing'].includes(notice.code) ||
      (notice.code === 'cut_off' && idsOf(notice.members).includes(player.id))
    const told = player.notices().filter(isTold)
    const missed = this.#unheard(player, { from: 0 })
    if (missed.length > 0)
      this.done.push(`${player.name} missed ${missed.join()} (${told.map(({ code }) => code).join()})`)
    return told.length > 0 ? [] : missed
  }

  /**
   * Members whose commit the admin has refused.
   * An offence that an attacker has kept from the admin is proved to others alone.
   */
  #offendersFor(admin: Player): Set<string> {
    const refused = admin.notices().filter(notice => notice.code === 'refused')
    const byCommit = refused.filter(({ text }) => !text?.startsWith('The welcome'))
    return new Set(byCommit.flatMap(({ from }) => (from ? [from.id] : [])))
  }
}

const idsOf = (members: { id: string }[]): string[] => members.map(({ id }) => id)

const doubled = (texts: string[]): string[] => texts.filter((text, at) => texts.indexOf(text) !== at)

function whenNoMember(error: unknown): void {
  if (!isCoded(error, 'not-a-member')) throw error
}
