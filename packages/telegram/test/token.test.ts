// The token is in the addresses of these requests: it must not be in anything that the gateway writes.
import type { Log } from '@postern/core'
import { hookLimits } from '@postern/protocol'
import { ManualClock, WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { TOKEN, test } from './telegram.ts'

const SOON = { timeout: WITHIN.timeoutMs, interval: 20 }
const SECRET = 'secret-of-the-bot-0123456789'

test('[TELEGRAM-1.6] no log line, error or metric has the token', async ({ world, onTestFinished }) => {
  const lines: string[] = []
  const note = (fields: object, line: string) => {
    const error = 'err' in fields && fields.err instanceof Error ? String(fields.err.stack) : ''
    lines.push(`${line} ${JSON.stringify(fields)} ${error}`)
  }
  const log: Log = { debug: note, info: note, warn: note, error: note }
  const gateway = await world.gateway({ TELEGRAM_API: 'on', BOT_TOKEN: SECRET, LOG_LEVEL: 'debug' }, { log })
  await gateway.client.whenOnline(WITHIN)
  const answers: string[] = []
  const ask = async (path: string, init?: RequestInit) =>
    void answers.push(await (await fetch(`${gateway.url}${path}`, init)).text())
  await ask(`/bot${SECRET}/getMe`)
  await ask(`/bot${SECRET}/noSuchMethod`)
  await ask(`/bot${SECRET}/getMe`, { method: 'DELETE' })
  await ask(`/bot${SECRET}x/getMe`)
  await ask(`/bot${SECRET}/%zz`)
  await ask(`/bot${SECRET}`)
  await ask(`/nowhere/bot${SECRET}/getMe`)
  await ask(`/file/bot${SECRET}/nothing`)
  await ask(`/bot${SECRET}/sendMessage`, { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } })
  // A fault of ours: the database is closed under a request.
  await gateway.client.stop()
  onTestFinished(() => undefined)
  await ask(`/bot${SECRET}/sendMessage?chat_id=1&text=x`)
  expect(answers.length).toBe(10)
  expect([...lines, ...answers].filter(text => text.includes(SECRET))).toEqual([])
  expect(lines.length).toBeGreaterThan(0)
})

test('[TELEGRAM-1.7] a wrong token is answered as late as one of the API, and guesses share their places', async ({
  world,
}) => {
  const clock = new ManualClock(Date.now())
  const { url, client } = await world.gateway({ TELEGRAM_API: 'on', CONSOLE: 'on', BOT_TOKEN: TOKEN }, { clock })
  await client.whenOnline(WITHIN)
  const asked = async (path: string, init?: RequestInit): Promise<number> => (await fetch(url + path, init)).status
  const answered: number[] = []
  const guess = async (path: string, init?: RequestInit) => void answered.push(await asked(path, init))
  const paths = ['/bota-guess/getMe', `/bot${TOKEN}x/noSuchMethod`, '/bot1:a-guess/getMe?x=1', '/file/bota-guess/a.jpg']
  const body = { method: 'POST', body: '{"chat_id":1}', headers: { 'content-type': 'application/json' } }
  const guesses = [...paths.map(path => guess(path)), guess('/bota-guess/sendMessage', body)]
  await expect.poll(() => clock.isAwaited(hookLimits.missDelayMs), SOON).toBe(true)
  expect(await asked(`/bot${TOKEN}/getMe`)).toBe(200)
  // No guess.
  expect(await asked('/bot/getMe')).toBe(401)
  clock.advance(hookLimits.missDelayMs - 1)
  expect(await asked(`/bot${TOKEN}/getMe`)).toBe(200)
  expect(answered).toEqual([])
  await expect
    .poll(() => {
      clock.advance(1)
      return answered
    }, SOON)
    .toEqual(guesses.map(() => 401))
  await Promise.all(guesses)
  const ofApi: number[] = []
  const headers = { authorization: 'Bearer a-guess' }
  const many = Array.from({ length: hookLimits.missesWaitingMax + 1 }, () =>
    asked('/v1/me', { headers }).then(status => void ofApi.push(status)),
  )
  await expect.poll(() => ofApi, SOON).toEqual([503])
  expect(await asked('/bota-guess/getMe')).toBe(502)
  expect(await asked(`/bot${TOKEN}/getMe`)).toBe(200)
  clock.advance(hookLimits.missDelayMs)
  await Promise.all(many)
})
