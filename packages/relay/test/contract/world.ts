// People and chats for the contract of the store.
import { randomBytes } from 'node:crypto'
import { type AccountId, accountIdFromHash, type GroupId, isCoded } from '@postern/protocol'
import type { MailboxEntry, RelayVerdict } from '@postern/protocol/relay'
import type { RelayLimits } from '../../src/limits/relay-limits.ts'
import type { EnvelopeDelivery, RelayStore } from '../../src/store/relay-store.ts'
import { InProcessWake, type Wake } from '../../src/store/wake.ts'
import { idOf, newGroupId } from '../test-client.ts'

export const DAY_MS = 86_400_000
export const START_MS = Date.UTC(2030, 0, 1, 12)
export const ALL = { entriesMax: 1000, bytesMax: 1 << 24 }

/** The world of the running test. */
export type Get = () => World
/** The same data, opened again with other limits. */
export type Reopen = (limits: Partial<RelayLimits>) => Promise<World>

export class World {
  readonly store: RelayStore
  /** The one that the store was opened with. */
  readonly wake: Wake
  nowMs = START_MS

  constructor(store: RelayStore, wake: Wake = new InProcessWake()) {
    this.store = store
    this.wake = wake
  }

  /** Five people, of whom a test names as many as it needs. */
  people(): Promise<[AccountId, AccountId, AccountId, AccountId, AccountId]> {
    return this.crowd(5) as Promise<[AccountId, AccountId, AccountId, AccountId, AccountId]>
  }

  async crowd(count: number): Promise<[AccountId, AccountId, ...AccountId[]]> {
    const ids = Array.from({ length: count }, () => accountIdFromHash(randomBytes(32)))
    await Promise.all(ids.map(id => this.store.registerAccount(id, { accountKey: randomBytes(32), nowMs: this.nowMs })))
    return ids as [AccountId, AccountId, ...AccountId[]]
  }

  /** The first one creates it; one commit adds the others, so that its epoch is 1. */
  async chat(...members: AccountId[]): Promise<GroupId> {
    const [creator, ...others] = members as [AccountId, ...AccountId[]]
    const group = newGroupId()
    await this.store.createGroup(group, { creator, nowMs: this.nowMs })
    await this.commit(group, { sender: creator, epoch: 0, add: others })
    return group
  }

  /** A group of its creator alone that continues another. */
  async continuation(continues: GroupId, creator: AccountId): Promise<GroupId> {
    const group = newGroupId()
    await this.store.createGroup(group, { creator, continues, nowMs: this.nowMs })
    return group
  }

  send(group: GroupId, sent: { sender: AccountId; payload?: Uint8Array; epoch?: number; delivery?: EnvelopeDelivery }) {
    const { sender, payload = randomBytes(40), epoch = 1, delivery = { kind: 'message' } } = sent
    const { nowMs } = this
    const message = idOf(payload)
    return this.#delivered(this.store.append({ group, epoch, sender, message, payload, delivery, nowMs }))
  }

  commit(
    group: GroupId,
    made: { sender: AccountId; epoch: number; payload?: Uint8Array; add?: AccountId[]; remove?: AccountId[] },
  ): Promise<RelayVerdict> {
    const { sender, epoch, payload = randomBytes(40), add = [], remove = [] } = made
    const welcome = add.length > 0 ? Buffer.from('welcome') : undefined
    const { nowMs } = this
    const message = idOf(payload)
    const commit = { group, epoch, sender, message, payload, add, remove, welcome, nowMs }
    return this.#delivered(this.store.commit(commit))
  }

  /** PostgreSQL answers when the entry is in the log: also waits until it is in all mailboxes. */
  #delivered(answered: Promise<RelayVerdict>): Promise<RelayVerdict> {
    if (this.store.kind === 'sqlite') return answered
    return answered.then(async verdict => {
      await this.store.flush()
      return verdict
    })
  }

  async read(account: AccountId, after = 0, pageSize = 7): Promise<MailboxEntry[]> {
    const all: MailboxEntry[] = []
    for (;;) {
      const bounds = { ...ALL, entriesMax: pageSize }
      const { entries, more } = await this.store.readMailbox(account, all.at(-1)?.cursor ?? after, bounds)
      all.push(...entries)
      if (!more) return all
    }
  }

  async kinds(account: AccountId, after = 0): Promise<string[]> {
    return (await this.read(account, after)).map(entry => entry.kind)
  }

  /** The head of the mailbox, after the entries of the chat's start. */
  async head(account: AccountId): Promise<number> {
    return this.store.mailboxHead(account)
  }

  async sweep(): Promise<void> {
    while ((await this.store.sweep(this.nowMs)).more);
  }
}

export const texts = (entries: MailboxEntry[]): string[] => entries.map(entry => Buffer.from(entry.payload).toString())
export const bytes = (text: string): Uint8Array => Buffer.from(text.padEnd(8, '.'))
export const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: unknown) => (isCoded(error) ? error.code : String(error)),
  )
export const padded = (text: string): string => text.padEnd(8, '.')

export async function acknowledged(
  world: World,
  account: AccountId,
  reached: { cursor: number; mark: number },
): Promise<void> {
  const done = world.store.acknowledge(account, reached)
  await world.store.flush()
  await done
}
