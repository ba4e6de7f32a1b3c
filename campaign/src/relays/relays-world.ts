// A database, two relays with separate connections to it, and people of whom some send: the targets of faults.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AccountId } from '@postern/protocol'
import type { SeededRandom } from '@postern/testkit'
import { type BarePerson, newPerson } from '@postern/testkit/bare-client'
import { PostgresServer } from '@postern/testkit/postgres'
import { prepareEnding } from './faults/end-backends.ts'
import { MortalRelay } from './faults/mortal-relay.ts'
import { Hopper } from './traffic/hopper.ts'
import { inTurns, untilDone } from './traffic/in-turns.ts'
import { Line } from './traffic/line.ts'

export type RelaysWorld = {
  server: PostgresServer
  /** Its address. */
  database: string
  relays: readonly MortalRelay[]
  people: readonly BarePerson[]
  /** The people who send. */
  hoppers: readonly Hopper[]
}

type Asked = { folder: string; random: SeededRandom; people: number; hoppers: number; onFault: (what: string) => void }

const NAMES = ['berlin', 'oslo']

export async function startRelaysWorld({ folder, random, onFault, ...counts }: Asked): Promise<RelaysWorld> {
  const server = await PostgresServer.start()
  await prepareEnding(server)
  const database = await server.createDatabase()
  const relays: MortalRelay[] = []
  for (const name of NAMES) {
    const place = {
      directory: join(folder, name),
      logFile: join(folder, `${name}.log`),
      databasePort: server.port,
      database,
    }
    relays.push(await MortalRelay.start({ ...place, onCrash: onFault }))
  }
  for (const relay of relays) await relay.listening()
  const people = Array.from({ length: counts.people }, () => newPerson())
  const urls = relays.map(({ process }) => process.url)
  await inTurns(people, async (person, at) => {
    const dialled = { url: urls[at % urls.length] as string, person, number: 0 }
    const { line } = await untilDone(() => Line.dial(dialled, 'register'))
    line.end()
  })
  const hoppers = people.slice(0, counts.hoppers).map(person => new Hopper(person, { urls, random, onFault }))
  return { server, database, relays, people, hoppers }
}

export const idsOf = (people: readonly { id: AccountId }[]): AccountId[] => people.map(({ id }) => id)

/** The server's last output is kept in the folder, next to the relays' logs. */
export async function endRelaysWorld({ server, relays }: RelaysWorld, folder: string): Promise<void> {
  for (const relay of relays) await relay.end()
  writeFileSync(join(folder, 'postgres.log'), server.said)
  await server[Symbol.asyncDispose]()
}
