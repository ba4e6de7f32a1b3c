// An older program on the data of a newer one, as after a downgrade: it reports that and changes nothing.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openDataDirectory } from '@postern/core/node'
import { World } from '@postern/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { run } from './process.ts'

const NEWER = 9999

test('[CLI-7.2] a relay on data of a newer version says so in one line, and touches nothing', async () => {
  const world = await World.start()
  onTestFinished(() => world.stop())
  await world.stopRelay()
  const path = join(world.directory, 'relay', 'relay.db')
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA user_version = ${NEWER}`)
  database.close()
  const before = readFileSync(path)
  const { code, stderr } = await run(['relay', '--data', join(world.directory, 'relay'), '--listen', '127.0.0.1:0'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/^[^\n]*A newer version of this program wrote [^\n]*\. Update this program\.\n$/)
  expect(readFileSync(path)).toEqual(before)
})

test('[CLI-7.2] a gateway and a person, too', async () => {
  const world = await World.start()
  onTestFinished(() => world.stop())
  const alice = await world.person('alice')
  await world.close(alice)
  const database = openDataDirectory(alice.directory)
  database.exec(`PRAGMA user_version = ${NEWER}`)
  database.close()
  const before = readFileSync(join(alice.directory, 'core.db'))
  const gateway = await run(['gateway'], {
    BOT_TOKEN: 'token-of-the-operator',
    BOT_NAME: 'bot',
    RELAY_URL: world.relayUrl,
    LISTEN: '127.0.0.1:0',
    DATA_DIR: alice.directory,
  })
  const person = await run(['person', '--relay', world.relayUrl, '--data', alice.directory, '--name', 'alice'])
  for (const { code, stderr } of [gateway, person]) {
    expect(code).toBe(1)
    expect(stderr).toMatch(/^[^\n]*A newer version of this program wrote [^\n]*\. Update this program\.\n$/)
  }
  expect(readFileSync(join(alice.directory, 'core.db'))).toEqual(before)
})
