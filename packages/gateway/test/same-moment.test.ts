// Concurrent requests: each of them is executed, and none undoes another.
import { hookLimits, systemClock } from '@postern/protocol'
import sharp from 'sharp'
import { expect } from 'vitest'
import { DeclaredCommands } from '../src/hooks/commands/declare-commands.ts'
import { Hooks, type StoredHook } from '../src/hooks/hooks.ts'
import { wordsIn } from '../src/hooks/words/words.ts'
import { test } from './fixtures.ts'

test('[GATEWAY-3.10] changes of the profile that are made at the same moment are all kept', async ({
  online: { gateway, api },
}) => {
  const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#00ff00' } })
    .png()
    .toBuffer()
  for (let round = 0; round < 5; round++) {
    const wanted = { name: `bot ${round}`, about: `about ${round}`, commands: [{ name: `c${round}`, description: '' }] }
    await Promise.all([
      api.ok('PATCH', '/v1/me', { name: wanted.name }),
      api.ok('PATCH', '/v1/me', { about: wanted.about }),
      api.ok('PUT', '/v1/me/commands', { commands: wanted.commands }),
      api.call('PUT', '/v1/me/avatar', { body: picture, headers: { 'content-type': 'image/png' } }),
    ])
    expect(await api.me()).toMatchObject(wanted)
    expect(gateway.client.identity.profileOf(gateway.client.account).avatar).toMatch(/^data:image/)
  }
})

test('[GATEWAY-3.10] of two lists of commands set at the same moment one is there, and known for whose it is', async ({
  online: { gateway },
}) => {
  const declared = new DeclaredCommands(gateway.client, gateway.client.records('hooks'), wordsIn.ru)
  await Promise.all([declared.set([{ name: 'start', description: 'Begins' }]), declared.set([])])
  expect(gateway.client.identity.me().commands.map(({ name }) => name)).toEqual(['hook', 'hooks', 'unhook'])
  // These are our commands: they are withdrawn when there are no hooks any more.
  await declared.withdraw()
  expect(gateway.client.identity.me().commands).toEqual([])
})

test('[GATEWAY-3.10] hooks that are made and removed at the same moment are counted, and removed once', async ({
  alice,
  online: { gateway },
}) => {
  const records = gateway.client.records('hooks')
  const wanted = { chat: alice.chatId, format: 'text' as const }
  const stored = (id: string) => JSON.stringify({ ...wanted, id, ts: 1, secretHash: id } satisfies StoredHook)
  const before = Array.from({ length: hookLimits.hooksMax - 1 }, (_, at) => `hook${at}`)
  await records.change(...before.map(id => ({ key: `hook/${id}`, put: stored(id) })))
  const hooks = new Hooks(records, { hooksUrl: 'https://hooks.example.org', clock: systemClock })
  const made = await Promise.allSettled([1, 2, 3].map(async () => await hooks.create(wanted)))
  expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(hooks.list()).toHaveLength(hookLimits.hooksMax)
  const id = hooks.list()[0]?.id ?? ''
  expect(await Promise.all([hooks.remove(id), hooks.remove(id)])).toEqual([true, false])
})
