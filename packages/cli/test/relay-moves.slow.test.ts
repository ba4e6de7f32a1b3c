// Another relay than the one on which somebody is registered, on the command line.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { World } from '@postern/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Postern, run } from './process.ts'

let directory: string
let home: World
let other: World
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'postern-moves-'))
  home = await World.start()
  other = await World.start()
})
afterEach(async () => {
  await home.stop()
  await other.stop()
  rmSync(directory, { recursive: true })
})

test('[CLI-1.3] postern gateway names RELAY_URL in one line where the relay does not know the bot, and exits 1', async () => {
  const env = (relay: string) => ({
    BOT_TOKEN: 'a-token-of-some-length',
    RELAY_URL: relay,
    BOT_NAME: 'Bot',
    LISTEN: '127.0.0.1:0',
    DATA_DIR: join(directory, 'bot'),
  })
  await using first = new Postern(['gateway'], env(home.relayUrl))
  await first.says('connected to the relay')
  first.signal('SIGTERM')
  expect(await first.exited).toBe(0)
  const { code, stderr } = await run(['gateway'], env(other.relayUrl))
  expect(code).toBe(1)
  expect(stderr).toMatch(/^RELAY_URL: The relay at \S+ does not let this account in, which is registered at [^\n]+\n$/)
  expect(stderr).toContain(home.relayUrl)
  await home.moveRelay()
  await using moved = new Postern(['gateway'], env(home.relayUrl))
  await moved.says('the relay has moved, and was followed')
})

test('[CLI-2.14] postern person says the same under --relay, and follows a relay that has moved', async () => {
  const person = (relay: string) => ['person', '--relay', relay, '--data', join(directory, 'alice'), '--name', 'Alice']
  await using first = new Postern(person(home.relayUrl))
  await first.says('"ready"')
  first.endInput()
  expect(await first.exited).toBe(0)
  const { code, stderr } = await run(person(other.relayUrl))
  expect(code).toBe(1)
  expect(stderr).toMatch(/^--relay: The relay at \S+ does not let this account in, which is registered at [^\n]+$/m)
  await home.moveRelay()
  await using moved = new Postern(person(home.relayUrl))
  await moved.says('"ready"')
})
