// The token is in the addresses of these requests: it must not be in anything that the gateway writes.
import type { Log } from '@postern/core'
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { test } from './telegram.ts'

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
