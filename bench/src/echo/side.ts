// One ring under load: the time of echoes, their rate, and the processor time of each process for one.
import { median } from '../figures.ts'
import { type Ring, type RingUsage, usageOf } from './ring.ts'

export type Load = { name: string; people: number; atOnceEach: number; count: number }

const roles = ['people', 'relay', 'gateway', 'bot'] as const
export type Role = (typeof roles)[number]
type CpuMs = Record<Role, number>

export class Side {
  readonly ring: Ring
  readonly #timesMs = new Map<Load, number[]>()
  readonly #ratesPerSec = new Map<Load, number[]>()
  readonly #cpuMs = new Map<Load, CpuMs[]>()

  constructor(ring: Ring) {
    this.ring = ring
  }

  async run(load: Load): Promise<void> {
    const before = cpuOf(await usageOf(this.ring))
    const startedMs = performance.now()
    const timesMs = await this.#echo(load)
    const tookMs = performance.now() - startedMs
    const after = cpuOf(await usageOf(this.ring))
    addTo(this.#timesMs, load, ...timesMs)
    addTo(this.#ratesPerSec, load, (load.count * 1000) / tookMs)
    addTo(
      this.#cpuMs,
      load,
      each(role => (after[role] - before[role]) / load.count),
    )
  }

  timesMs(load: Load): number[] {
    return this.#timesMs.get(load) ?? []
  }

  ratePerSec(load: Load): number {
    return median(this.#ratesPerSec.get(load) ?? [])
  }

  cpuMs(load: Load): CpuMs {
    return each(role => median((this.#cpuMs.get(load) ?? []).map(measured => measured[role])))
  }

  async #echo({ people, atOnceEach, count }: Load): Promise<number[]> {
    const asked = this.ring.people
      .slice(0, people)
      .map(person => person.ask<number[]>('echo', { count: count / people, atOnce: atOnceEach }))
    return (await Promise.all(asked)).flat()
  }
}

const cpuOf = ({ relay, gateway, bot, peopleCpuMs }: RingUsage): CpuMs => ({
  people: peopleCpuMs,
  relay: relay.cpuMs,
  gateway: gateway.cpuMs,
  bot: bot.cpuMs,
})

const each = (valueOf: (role: Role) => number): CpuMs =>
  Object.fromEntries(roles.map(role => [role, valueOf(role)])) as CpuMs

function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, ...values: Value[]): void {
  lists.set(key, [...(lists.get(key) ?? []), ...values])
}
