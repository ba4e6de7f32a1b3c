// The scoped tokens of a bot that was restored from a backup: those of that time, and none that was created since.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { CreatedToken } from '@postern/bot-api'
import { WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { run } from './process.ts'

test('[GATEWAY-15.7] a restored bot has its tokens', async ({ world }) => {
  const data = join(world.directory, 'gateway')
  const start = async () => {
    const gateway = await world.gateway()
    await gateway.client.whenOnline(WITHIN)
    return gateway
  }
  const first = await start()
  const create = async () =>
    (await first.api<CreatedToken>('POST', '/v1/tokens', { name: 'a token', scopes: ['read'] })).body
  const kept = await create()
  const file = join(world.directory, 'backup')
  expect(await run(['backup', '--data', data, '--to', file, '--plain'])).toMatchObject({ code: 0 })
  const later = await create()
  await world.closeGateway(first)
  rmSync(data, { recursive: true })
  expect(await run(['restore', file, '--data', data])).toMatchObject({ code: 0 })
  const again = await start()
  const statuses = [kept, later].map(async ({ token }) => {
    const answer = await fetch(`${again.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    return answer.status
  })
  expect(await Promise.all(statuses)).toEqual([200, 401])
})
