// A relay's store with groups of one size, each with the same first member, who sends.
import { randomBytes } from 'node:crypto'
import { type GroupId, groupIdFromBytes, systemClock } from '@postern/protocol'
import { relayLimits } from '@postern/relay'
import type { RelayStore } from '@postern/relay/store'
import { InProcessWake, openSqliteStore } from '../inside.ts'
import { type Account, envelope, messageIdOf, newAccount } from './people.ts'

export type Filled = { store: RelayStore; sender: Account; groups: GroupId[] }

export const GROUPS = 10

export async function openFilledStore(directory: string, members: number): Promise<Filled> {
  const limits = relayLimits({ newPeoplePerDay: 1_000_000 })
  const store = openSqliteStore({ directory, limits, wake: new InProcessWake(), clock: systemClock })
  const sender = newAccount()
  const groups: GroupId[] = []
  await register(store, sender)
  for (let at = 0; at < GROUPS; at++) {
    const others = Array.from({ length: members - 1 }, newAccount)
    await Promise.all(others.map(other => register(store, other)))
    groups.push(await fill(store, { sender, others }))
  }
  return { store, sender, groups }
}

async function register(store: RelayStore, { id, account }: Account): Promise<void> {
  await store.registerAccount(id, { accountKey: account.publicKey, nowMs: Date.now() })
}

async function fill(store: RelayStore, { sender, others }: { sender: Account; others: Account[] }): Promise<GroupId> {
  const group = groupIdFromBytes(randomBytes(16))
  const nowMs = Date.now()
  await store.createGroup(group, { creator: sender.id, nowMs })
  const payload = envelope(group, { kind: 'commit', epoch: 0 })
  await store.commit({
    group,
    epoch: 0,
    sender: sender.id,
    message: messageIdOf(payload),
    payload,
    add: others.map(other => other.id),
    remove: [],
    welcome: payload,
    nowMs,
  })
  return group
}
