// A command line with another relay than the one where the account is registered.
import { join } from 'node:path'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { Postern, run } from './process.ts'

test('[CLI-1.3] postern gateway names RELAY_URL in one line where the relay does not know the bot, and exits 1', async ({
  world,
  otherWorld,
}) => {
  const env = (relay: string) => ({
    BOT_TOKEN: 'a-token-of-some-length',
    RELAY_URL: relay,
    BOT_NAME: 'Bot',
    LISTEN: '127.0.0.1:0',
    DATA_DIR: join(world.directory, 'bot'),
  })
  await using first = new Postern(['gateway'], env(world.relayUrl))
  await first.says('relay connected')
  first.signal('SIGTERM')
  expect(await first.exited).toBe(0)
  const { code, stderr } = await run(['gateway'], env(otherWorld.relayUrl))
  expect(code).toBe(1)
  expect(stderr).toMatch(/^RELAY_URL: The relay at \S+ does not admit this account, which is registered at [^\n]+\n$/)
  expect(stderr).toContain(world.relayUrl)
  await world.moveRelay()
  await using moved = new Postern(['gateway'], env(world.relayUrl))
  await moved.says('relay address changed')
})

test('[CLI-2.14] postern person says the same under --relay, and follows a relay that has moved', async ({
  world,
  otherWorld,
}) => {
  const person = (relay: string) => [
    'person',
    '--relay',
    relay,
    '--data',
    join(world.directory, 'alice'),
    '--name',
    'Alice',
  ]
  await using first = new Postern(person(world.relayUrl))
  await first.says('"ready"')
  first.endInput()
  expect(await first.exited).toBe(0)
  const { code, stderr } = await run(person(otherWorld.relayUrl))
  expect(code).toBe(1)
  expect(stderr).toMatch(/^--relay: The relay at \S+ does not admit this account, which is registered at [^\n]+$/m)
  await world.moveRelay()
  await using moved = new Postern(person(world.relayUrl))
  await moved.says('"ready"')
})
