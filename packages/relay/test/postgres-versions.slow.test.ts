// Relays on each supported version of PostgreSQL that `.ci/run` has installed, and on one that is too old.
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS, postgresLimits } from '@postern/protocol'
import { findPostgres, ordinaryUser, POSTGRES_MISSING, PostgresServer } from '@postern/testkit/postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { codeOf, type World } from './contract/world.ts'
import { openShared } from './shared-stores.ts'

const FOLDER = join(import.meta.dirname, '../../../node_modules/.postgres/node_modules')

type Version = { major: number; programs: string }

/** The server does not run as root: if its user cannot reach these files, it cannot be tried. */
function versionIn(programs: string): Version[] {
  try {
    const said = execFileSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8', ...ordinaryUser() })
    return [{ major: Number(/ (\d+)\./.exec(said)?.[1]), programs }]
  } catch {
    return []
  }
}

const versions = globSync('pg*/native/bin', { cwd: FOLDER }).flatMap(folder => versionIn(join(FOLDER, folder)))
const oldest = Math.floor(postgresLimits.serverVersionMin / 10_000)
const isMissing = findPostgres() === undefined
if (isMissing) console.warn(POSTGRES_MISSING)
if (versions.length === 0) console.warn('Other versions of PostgreSQL are not here: see .ci/run. They are not tried.')

async function open({ programs }: Version): Promise<World> {
  const server = await PostgresServer.start({}, { programs })
  onTestFinished(() => server[Symbol.asyncDispose]())
  return await openShared(await server.createDatabase(), { partitionEntriesMin: 1 })
}

describe.skipIf(isMissing || versions.length === 0)('[RELAY-7.34] versions of PostgreSQL', () => {
  test.for(versions.filter(({ major }) => major >= oldest))('$major carries a relay', async version => {
    const here = await open(version)
    const [alice, bob] = await here.people()
    const group = await here.chat(alice, bob)
    await here.send(group, { sender: alice })
    expect(await here.read(bob)).toHaveLength(2)
    // Partitions begin, are detached while others work, and are dropped.
    for (let times = 0; times < 12; times++) {
      here.nowMs += 4 * DAY_MS
      await here.sweep()
      await here.send(group, { sender: alice })
    }
    const left = await here.read(bob)
    expect(left.length).toBeGreaterThan(0)
    expect(left.length).toBeLessThan(12)
  })

  test.for(versions.filter(({ major }) => major < oldest))('$major is refused in one line', async version => {
    const refused = open(version)
    expect(await codeOf(refused)).toBe('postgres-too-old')
    await expect(refused).rejects.toThrow(`is too old. Use PostgreSQL ${oldest} or newer.`)
  })
})
