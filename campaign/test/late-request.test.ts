// A request in doubt that a wire delivers after a later, acknowledged one: the checker must not call that a loss.
import { setTimeout as pause } from 'node:timers/promises'
import { World } from '@postern/testkit'
import { freePort } from '@postern/testkit/free-port'
import { afterEach, expect, test } from 'vitest'
import { checkChanges } from '../src/chaos/check/check-changes.ts'
import { Book } from '../src/chaos/traffic/book.ts'
import { BotDoer } from '../src/chaos/traffic/doers.ts'
import { TcpLink } from '../src/chaos/wire/tcp-link.ts'

const LATE_MS = 3_000
const STEP_MS = 20

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

test('a profile that a late request changes again is no loss; one that nobody asked for is', async () => {
  const world = await World.start()
  ends.push(() => world.stop())
  const gateway = await world.gateway()
  const link = await TcpLink.start({ port: await freePort(), targetPort: Number(new URL(gateway.url).port) })
  ends.push(() => link.stop())
  const book = new Book()
  const bot = new BotDoer('bot', { url: link.url, token: gateway.token }, book)
  const value = book.valueOf('profile', 'about of bot', 'first')
  const change = (about: string) =>
    book.change(value, about, () => bot.call({ method: 'PATCH', path: 'me', json: { about } }))
  const shown = async () => (await gateway.api<{ about: string }>('GET', '/v1/me')).body.about

  // Until the bot has reached its relay, the gateway answers 503.
  while ((await gateway.api('PATCH', '/v1/me', { about: 'first' })).status !== 200) await pause(STEP_MS)

  link.delay(LATE_MS)
  const first = change('late')
  while (link.size === 0) await pause(STEP_MS)
  await pause(STEP_MS * 10)
  link.heal()
  // The bot sees the end of the stream, while the wire still has its request.
  link.halfClose('back')
  expect(await first).toMatchObject({ outcome: 'doubtful' })
  expect(await change('next')).toMatchObject({ outcome: 'acknowledged' })
  expect(await shown()).toBe('next')
  while ((await shown()) !== 'late') await pause(STEP_MS)

  const judged = (about: string) => checkChanges([{ ...value, shown: new Map([['bot', about]]) }])
  expect(judged(await shown())).toEqual([])
  expect(judged('first').map(({ wrong }) => wrong)).toEqual(['lost'])
}, 30_000)
