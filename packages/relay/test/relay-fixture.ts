// A real relay in a temporary directory, and whom a test connects to it; all of it ends with the test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountId, GroupId } from '@postern/protocol'
import { databaseOf, forgetDatabaseOf } from '@postern/testkit/test-databases'
import { onTestFinished } from 'vitest'
import { type Relay, type RelayOptions, startRelay } from '../src/index.ts'
import { type BarePerson, commitEnvelope, connect, newGroupId, newPerson, TestClient } from './test-client.ts'

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'relay-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export async function testRelay(options: Partial<RelayOptions> = {}): Promise<Relay> {
  const listen = { host: '127.0.0.1', port: 0 }
  const dataDirectory = options.dataDirectory ?? temporaryDirectory()
  // Before the relay's stop, so that it comes after it: what is asked for last is done first.
  onTestFinished(() => forgetDatabaseOf(dataDirectory))
  const relay = await startRelay({ listen, dataDirectory, database: await databaseOf(dataDirectory), ...options })
  onTestFinished(() => relay.stop())
  return relay
}

/** Ends with the test, however it ends. */
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

/** The first makes it; its epoch is 1. */
export async function chatOf(creator: Connected, ...others: Connected[]): Promise<GroupId> {
  const group = newGroupId()
  await creator.call('createGroup', { group, continues: undefined })
  await creator.commit(commitEnvelope({ group, epoch: 0 }), { add: others.map(other => other.id) })
  return group
}
