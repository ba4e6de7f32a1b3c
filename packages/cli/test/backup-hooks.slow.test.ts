// The hooks of a bot that was restored from a backup: the same addresses, each in its own language.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { CreatedHook, Hook } from '@postern/bot-api'
import { WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { run } from './process.ts'

const alert = { version: '4', groupKey: 'g', status: 'firing', alerts: [{ labels: { alertname: 'Down' } }] }

test('[GATEWAY-10.31] a restored hook has its language', async ({ world, alice }) => {
  const data = join(world.directory, 'gateway')
  const start = async () => {
    const gateway = await world.gateway({ HOOKS_URL: 'https://hooks.example.org' })
    await gateway.client.whenOnline(WITHIN)
    return gateway
  }
  const first = await start()
  const { body: me } = await first.api<{ invite_url: string }>('GET', '/v1/me')
  const chat = await alice.openInvite(me.invite_url)
  await alice.say(chat.id, 'hello')
  await first.api('GET', '/v1/updates?timeout=60')
  const wanted = { chat_id: alice.id, format: 'alerts', lang: 'en' }
  const { body: made } = await first.api<CreatedHook>('POST', '/v1/hooks', wanted)
  const file = join(world.directory, 'backup')
  expect(await run(['backup', '--data', data, '--to', file, '--plain'])).toMatchObject({ code: 0 })
  await world.closeGateway(first)
  rmSync(data, { recursive: true })
  expect(await run(['restore', file, '--data', data])).toMatchObject({ code: 0 })
  const again = await start()
  const { body: hooks } = await again.api<Hook[]>('GET', '/v1/hooks')
  expect(hooks).toMatchObject([{ id: made.id, lang: 'en' }])
  const posted = await fetch(`${again.url}/hooks/${made.url.split('/').at(-1)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(alert),
  })
  expect(posted.status).toBe(200)
  await alice.hears('🔥 Down: 1 alert\nDown')
})
