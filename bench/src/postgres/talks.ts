// Groups of one size in a store, each with its own members, the first of whom sends: as strangers share a relay.
import { randomBytes } from 'node:crypto'
import { type AccountId, type GroupId, groupIdFromBytes } from '@postern/protocol'
import type { Append, RelayStore } from '@postern/relay/store'
import { envelope, messageIdOf, newAccount } from '../appends/people.ts'

export type Talk = { group: GroupId; sender: AccountId; listener: AccountId }
export type Wanted = { members: number; groups: number }

export async function fillTalks(store: RelayStore, { members, groups }: Wanted): Promise<Talk[]> {
  const talks: Talk[] = []
  for (let at = 0; at < groups; at++) talks.push(await fillTalk(store, members))
  return talks
}

async function fillTalk(store: RelayStore, members: number): Promise<Talk> {
  const accounts = Array.from({ length: members }, newAccount)
  const nowMs = Date.now()
  await Promise.all(
    accounts.map(({ id, account }) => store.registerAccount(id, { accountKey: account.publicKey, nowMs })),
  )
  const [sender, ...others] = accounts.map(({ id }) => id)
  const listener = others[0]
  if (!sender || !listener) throw new RangeError('a talk has two at least')
  const group = groupIdFromBytes(randomBytes(16))
  await store.createGroup(group, { creator: sender, nowMs })
  const payload = envelope(group, { kind: 'commit', epoch: 0 })
  const change = { add: others, remove: [], welcome: payload }
  const message = messageIdOf(payload)
  const { accepted } = await store.commit({ group, epoch: 0, sender, message, payload, ...change, nowMs })
  if (!accepted) throw new Error('the store refused a commit')
  return { group, sender, listener }
}

/** A message of 1 KiB, as a relay passes it to its store. */
export function newAppend({ group, sender }: Talk): Append {
  const payload = envelope(group, { kind: 'message', epoch: 1 })
  const delivery = { kind: 'message' as const }
  return { group, epoch: 1, sender, message: messageIdOf(payload), payload, delivery, nowMs: Date.now() }
}
