// Other users of the machine can read nothing of an account, even if somebody else made its directory.
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const openFiles = (directory: string): string[] =>
  readdirSync(directory).filter(name => (statSync(join(directory, name)).mode & 0o077) !== 0)

test('[CORE-11.19] in a directory that was there before, the files of an account are for its owner alone, those from before too', async ({
  world,
  alice,
}) => {
  const directory = join(world.directory, 'made-before')
  mkdirSync(directory)
  chmodSync(directory, 0o755)
  const bob = await world.person('bob', { directory })
  await bob.say(alice, 'hello')
  expect(readdirSync(directory)).toEqual(expect.arrayContaining(['core.db', 'core.db-wal', 'db.key']))
  expect(openFiles(directory)).toEqual([])
  await world.close(bob)
  for (const name of ['core.db', 'db.key']) chmodSync(join(directory, name), 0o644)
  const again = await world.person('bob', { directory })
  await again.say(alice, 'again')
  expect(openFiles(directory)).toEqual([])
})
