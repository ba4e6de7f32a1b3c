// The console without a browser: wrong tokens are answered late, and the page links to the reference.
import { hookLimits } from '@postern/protocol'
import { ManualClock } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { onlineGateway, SOON } from './api.ts'

test('[GATEWAY-16.8] a wrong token is answered after a second, and keeps nobody waiting who has a right one', async ({
  world,
}) => {
  const clock = new ManualClock(Date.now())
  const env = { CONSOLE: 'on', DATA_DIR: `${world.directory}/guessed` }
  const {
    gateway: { url, token },
  } = await onlineGateway(world, env, { clock })
  const asked = async (path: string, given?: string): Promise<number> => {
    const headers = given === undefined ? {} : { authorization: `Bearer ${given}` }
    return (await fetch(url + path, { headers })).status
  }
  const answered: number[] = []
  // A path that exists, one that does not, and one that is none.
  const paths = ['/v1/me', '/v1/nothing', '/v1/%zz', '/console/invite.svg']
  const guesses = paths.map(path => asked(path, 'a-guess').then(status => void answered.push(status)))
  await expect.poll(() => clock.isAwaited(hookLimits.missDelayMs), SOON).toBe(true)
  expect(await asked('/v1/chats', token)).toBe(200)
  expect(await asked('/v1/chats')).toBe(401)
  clock.advance(hookLimits.missDelayMs - 1)
  expect(await asked('/v1/chats', token)).toBe(200)
  expect(answered).toEqual([])
  await expect
    .poll(() => {
      clock.advance(1)
      return answered
    }, SOON)
    .toEqual(paths.map(() => 401))
  await Promise.all(guesses)
  const many = Array.from({ length: hookLimits.missesWaitingMax + 20 }, () =>
    asked('/v1/me', 'a-guess').then(status => void answered.push(status)),
  )
  await expect.poll(() => answered.slice(paths.length), SOON).toEqual(Array(20).fill(503))
  expect(await asked('/v1/chats', token)).toBe(200)
  clock.advance(hookLimits.missDelayMs)
  await Promise.all(many)
})

test('[GATEWAY-16.8] without the console a wrong token is answered immediately', async ({ world }) => {
  const clock = new ManualClock(Date.now())
  const { url } = await world.gateway({}, { clock })
  const headers = { authorization: 'Bearer a-guess' }
  expect((await fetch(`${url}/v1/me`, { headers })).status).toBe(401)
})

test('[GATEWAY-16.10] it links to the reference page where there is one', async ({ world }) => {
  const link = '<a href="reference">API reference</a>'
  for (const [REFERENCE, isLinked] of [
    ['on', true],
    ['off', false],
  ] as const) {
    const { url } = await world.gateway({ CONSOLE: 'on', REFERENCE, DATA_DIR: `${world.directory}/${REFERENCE}` })
    expect((await (await fetch(`${url}/console`)).text()).includes(link)).toBe(isLinked)
    expect((await fetch(`${url}/reference`)).ok).toBe(isLinked)
  }
})
