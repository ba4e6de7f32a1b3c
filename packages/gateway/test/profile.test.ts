// The bot's name, description, commands and picture: people see what the operator sets.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { bot } from '@postern/bot-api'
import { gatewayLimits } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import sharp from 'sharp'
import { expect } from 'vitest'
import { Api, onlineGateway, SOON } from './api.ts'
import { test as base } from './fixtures.ts'

const colour = (background: string, side = 64) =>
  sharp({ create: { width: side, height: side, channels: 3, background } })

const upload = (api: Api, body: BodyInit, type = 'image/png') =>
  api.call('PUT', '/v1/me/avatar', { body, headers: { 'content-type': type } })

/** The colour that a data: URL of one colour shows. */
async function colourOf(avatar: string | undefined): Promise<number[]> {
  const bytes = Buffer.from(avatar?.split(',')[1] ?? '', 'base64')
  const { data } = await sharp(bytes).removeAlpha().resize(1, 1).raw().toBuffer({ resolveWithObject: true })
  return [...data].map(value => Math.round(value / 255))
}

const test = base.extend('known', ({ world, alice }) => async (env: Record<string, string> = {}) => {
  const { gateway, api } = await onlineGateway(world, env)
  await alice.openInvite((await api.me()).invite_url)
  await api.next('chat')
  return { gateway, api, seen: () => alice.client.identity.learnProfile(gateway.client.account, WITHIN) }
})

test('[GATEWAY-3.9] PATCH /v1/me changes what is given, answers the bot, and people see it', async ({ known }) => {
  const { api, seen } = await known()
  const before = await api.me()
  const changed = bot.parse(await api.ok('PATCH', '/v1/me', { about: 'I help 🤝' }))
  expect(changed).toEqual({ ...before, about: 'I help 🤝' })
  expect(await api.ok('PATCH', '/v1/me', { name: 'Helper', about: null })).toEqual({ ...changed, name: 'Helper' })
  expect(await api.ok('PATCH', '/v1/me', {})).toEqual(await api.me())
  await expect.poll(seen, SOON).toMatchObject({ name: 'Helper', about: 'I help 🤝', bot: true })
  expect(await api.ok('PATCH', '/v1/me', { about: '' })).toMatchObject({ about: '' })
})

test('[GATEWAY-3.9] while the bot is not registered nothing of it is shown or changed: 503', async ({ world }) => {
  const picture = await colour('#ff0000').png().toBuffer()
  await world.stopRelay()
  const gateway = await world.gateway()
  const api = new Api(gateway)
  const before = gateway.client.identity.me()
  const early = { status: 503, body: { code: 'unavailable', error: expect.stringMatching(/not registered/) } }
  expect(await api.call('GET', '/v1/me')).toEqual(early)
  expect(await api.call('PATCH', '/v1/me', { json: { name: 'early' } })).toEqual(early)
  expect(await api.call('POST', '/v1/me/invite')).toEqual(early)
  expect(await api.call('PUT', '/v1/me/commands', { json: { commands: [{ name: 'early' }] } })).toEqual(early)
  expect(await upload(api, picture)).toEqual(early)
  expect(gateway.client.identity.me()).toEqual(before)
  await world.startRelay()
})

test('[GATEWAY-3.13] PUT /v1/me/commands replaces all commands, people see them, and [] removes them', async ({
  known,
}) => {
  const { api, seen } = await known()
  const commands = [
    { name: 'start', description: 'Begins' },
    { name: 'ask_2', description: '', args: 'question' },
  ]
  expect(await api.ok('PUT', '/v1/me/commands', { commands })).toEqual({})
  expect((await api.me()).commands).toEqual(commands)
  await expect.poll(async () => (await seen()).commands, SOON).toEqual(commands)
  await api.ok('PUT', '/v1/me/commands', { commands: [{ name: 'only' }] })
  expect((await api.me()).commands).toEqual([{ name: 'only', description: '' }])
  await api.ok('PUT', '/v1/me/commands', { commands: [] })
  expect((await api.me()).commands).toEqual([])
})

test.for(['png', 'jpeg', 'webp'] as const)(
  '[GATEWAY-3.14] a picture in %s is set, and people see it',
  async (format, { known }) => {
    const { api, seen } = await known()
    const picture = await colour('#ff0000').toFormat(format).toBuffer()
    expect(await upload(api, picture, `image/${format}`)).toEqual({ status: 200, body: {} })
    expect(await upload(api, picture, 'x')).toEqual({ status: 200, body: {} })
    await expect.poll(async () => (await seen()).avatar, SOON).toMatch(/^data:image\/webp;base64,/)
    expect(await colourOf((await seen()).avatar)).toEqual([1, 0, 0])
  },
)

test('[GATEWAY-3.14] the header does not matter, the bytes do; a body may come without a length', async ({ known }) => {
  const { api } = await known()
  const picture = await colour('#00ff00').png().toBuffer()
  for (const type of ['image/jpeg', 'application/json', 'text/plain', 'application/octet-stream'])
    expect(await upload(api, picture, type)).toEqual({ status: 200, body: {} })
  const stream = new Blob([picture]).stream()
  expect(await api.call('PUT', '/v1/me/avatar', { body: stream, duplex: 'half' })).toEqual({ status: 200, body: {} })
})

test('[GATEWAY-3.15] what is no picture is 400, whatever its header says, and the old one stays', async ({ known }) => {
  const { api, seen } = await known()
  await upload(api, await colour('#0000ff').png().toBuffer())
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
  const gif = await colour('#ffffff').gif().toBuffer()
  for (const body of [svg, gif, 'hello', ''])
    expect(await upload(api, body, 'image/jpeg')).toEqual({
      status: 400,
      body: { code: 'bad_request', error: 'picture: must be a JPEG, PNG or WebP file.' },
    })
  await expect.poll(async () => colourOf((await seen()).avatar), SOON).toEqual([0, 0, 1])
})

test('[GATEWAY-3.15] more than 20 MB are 400, with a length and without one', async ({ known }) => {
  const { api } = await known()
  const large = new Uint8Array(gatewayLimits.avatarUploadBytesMax + 1)
  const refused = {
    status: 400,
    body: { code: 'bad_request', error: expect.stringMatching(/: must have at most 20971520 bytes/) },
  }
  expect(await upload(api, large)).toEqual(refused)
  expect(await api.call('PUT', '/v1/me/avatar', { body: new Blob([large]).stream(), duplex: 'half' })).toEqual(refused)
})

test('[GATEWAY-3.15] uploads that end early or stand still hold up nobody', async ({ known }) => {
  const { gateway, api } = await known()
  const head = `PUT /v1/me/avatar HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.token}\r\nContent-Length: 1000\r\n\r\n`
  const standing = Array.from({ length: 5 }, () => connect(gateway.port, '127.0.0.1'))
  for (const socket of standing) socket.write(`${head}beginning`)
  // There are four slots: the fifth caller is refused, and by then the others have theirs.
  await Promise.race(standing.map(socket => once(socket, 'data')))
  const busy = { status: 503, body: { code: 'unavailable', error: expect.stringMatching(/4 pictures/) } }
  const picture = await colour('#ff0000').png().toBuffer()
  expect(await upload(api, picture)).toEqual(busy)
  for (const socket of standing) socket.destroy()
  await expect.poll(() => upload(api, picture), SOON).toEqual({ status: 200, body: {} })
})

test('[GATEWAY-3.16] BOT_AVATAR is applied when the file differs from the one last applied', async ({
  world,
  known,
}) => {
  const path = join(world.directory, 'face.png')
  const env = { BOT_AVATAR: path }
  writeFileSync(path, await colour('#ff0000').png().toBuffer())
  const first = await known(env)
  await expect.poll(async () => colourOf((await first.seen()).avatar), SOON).toEqual([1, 0, 0])
  await upload(first.api, await colour('#00ff00').png().toBuffer())
  await expect.poll(async () => colourOf((await first.seen()).avatar), SOON).toEqual([0, 1, 0])

  await world.closeGateway(first.gateway)
  const second = await onlineGateway(world, env)
  expect(await colourOf((await first.seen()).avatar)).toEqual([0, 1, 0])
  await world.closeGateway(second.gateway)
  writeFileSync(path, await colour('#0000ff').png().toBuffer())
  await onlineGateway(world, env)
  await expect.poll(async () => colourOf((await first.seen()).avatar), SOON).toEqual([0, 0, 1])
})

test('[GATEWAY-3.16] a BOT_AVATAR that is no picture is named, and the next start works', async ({ world }) => {
  const path = join(world.directory, 'face.txt')
  writeFileSync(path, 'no picture')
  await expect(world.gateway({ BOT_AVATAR: path })).rejects.toThrow('BOT_AVATAR: must be a JPEG, PNG or WebP file.')
  await onlineGateway(world)
})
