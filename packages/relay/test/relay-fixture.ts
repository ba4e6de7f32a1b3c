// A real relay in a temporary directory, and the clients of a test; all of it ends with the test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountId, GroupId } from '@postern/protocol'
import { databaseOf, forgetDatabaseOf } from '@postern/testkit/test-databases'
import { onTestFinished } from 'vitest'
import { type Relay, type RelayOptions, startRelay } from '../src/index.ts'
import { InviteFiles } from '../src/invites/invite-files.ts'
import { Invites } from '../src/invites/invites.ts'
import type { StoredInvite } from '../src/store/invite-store.ts'
import { withInvitesIn } from '../src/store/postgres/tools/open-invites.ts'
import { type BarePerson, commitEnvelope, connect, newGroupId, newPerson, TestClient } from './test-client.ts'

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'relay-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const directories = new Set<string>()

/** Dropped after the last stop on it: cleanups run in reverse order. */
async function databaseIn(dataDirectory: string): Promise<string | undefined> {
  if (!directories.has(dataDirectory)) onTestFinished(() => forgetDatabaseOf(dataDirectory))
  directories.add(dataDirectory)
  return await databaseOf(dataDirectory)
}

export async function testRelay(options: Partial<RelayOptions> = {}): Promise<Relay> {
  const listen = { host: '127.0.0.1', port: 0 }
  const dataDirectory = options.dataDirectory ?? temporaryDirectory()
  const database = options.database ?? (await databaseIn(dataDirectory))
  const relay = await startRelay({ listen, dataDirectory, ...options, database })
  onTestFinished(() => relay.stop())
  return relay
}

/** An invite code that the relay of a data directory accepts, wherever it keeps its invites. */
export async function newInvite(dataDirectory: string, terms: Omit<StoredInvite, 'hash'>): Promise<string> {
  const database = await databaseOf(dataDirectory)
  if (database === undefined) return await new Invites(new InviteFiles(dataDirectory)).make(terms)
  return await withInvitesIn(database, shelf => new Invites(shelf).make(terms))
}

/** Ends with the test, whatever its result. */
export function openClient(relay: Relay, options?: ConstructorParameters<typeof TestClient>[1]): TestClient {
  const client = new TestClient(relay.url, options)
  onTestFinished(() => client.socket.terminate())
  return client
}

export type Connected = TestClient & { person: BarePerson; id: AccountId }

export async function arrive(relay: Relay, person: BarePerson = newPerson()): Promise<Connected> {
  const client = await connect(relay.url, person)
  onTestFinished(() => client.socket.terminate())
  return Object.assign(client, { person, id: person.id })
}

/** The first one creates it; its epoch is 1. */
export async function chatOf(creator: Connected, ...others: Connected[]): Promise<GroupId> {
  const group = newGroupId()
  await creator.call('createGroup', { group, continues: undefined })
  await creator.commit(commitEnvelope({ group, epoch: 0 }), { add: others.map(other => other.id) })
  return group
}
