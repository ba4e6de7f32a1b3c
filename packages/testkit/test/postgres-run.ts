// Once per test run: an address that hands out databases. Without a request no PostgreSQL is started.
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { systemClock } from '@postern/protocol'
import { PostgresServer } from '../src/postgres.ts'
import { DATABASES_DOOR, PREPARED } from '../src/test-databases.ts'

let starting: Promise<PostgresServer> | undefined
let dropping: Promise<void> = Promise.resolve()
let preparing: Promise<string> | undefined

const door = createServer((request, answer) => {
  answerTo(request).then(
    said => answer.end(said),
    (error: unknown) => answer.writeHead(500).end(error instanceof Error ? error.message : String(error)),
  )
})

const nameIn = (url: string): string => new URL(url).pathname.slice(1)

async function answerTo(request: IncomingMessage): Promise<string> {
  const given = await text(request)
  starting ??= PostgresServer.start()
  const server = await starting
  if (request.method === 'POST') return await server.createDatabase(await templateOf(server, given))
  // One after the other, without a waiting caller: each waits for the disk. A database that cannot be dropped goes with
  // the server.
  dropping = dropping.then(() => server.dropDatabase(given)).catch(() => undefined)
  return ''
}

async function templateOf(server: PostgresServer, asked: string): Promise<string | undefined> {
  if (asked === '') return undefined
  if (asked !== PREPARED) return nameIn(asked)
  preparing ??= prepare(server)
  return await preparing
}

/** A database can be copied only without connections. */
async function prepare(server: PostgresServer): Promise<string> {
  const [{ openPostgresStore }, { relayLimits }] = await Promise.all([
    import('@postern/relay/postgres'),
    import('@postern/relay'),
  ])
  const url = await server.createDatabase()
  const wake = { notify: () => undefined, notifyAll: () => undefined, subscribe: () => () => undefined }
  const store = await openPostgresStore(url, { directory: '', limits: relayLimits(), wake, clock: systemClock })
  await store.close()
  return nameIn(url)
}

export async function setup(): Promise<void> {
  // Every project of a run sets up: the first has done it for all.
  if (process.env[DATABASES_DOOR] !== undefined) return
  await new Promise<void>(resolve => door.listen(0, '127.0.0.1', resolve))
  const address = door.address()
  process.env[DATABASES_DOOR] = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`
}

export async function teardown(): Promise<void> {
  door.close()
  door.closeAllConnections()
  await (await starting?.catch(() => undefined))?.[Symbol.asyncDispose]()
  await dropping
}
