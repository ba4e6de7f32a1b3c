// Hooks by commands in a chat: what owners can do, what others are answered, and the bot's declared commands.
import type { Bot, Hook } from '@postern/bot-api'
import { type ChatId, hookLimits, privateChatId } from '@postern/protocol'
import { type ManualClock, passTime, type TestGateway, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { type Api, onlineGateway, SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { allFormats, answer, HOOKS_URL, hearsFrom, say } from './hooks.ts'

type Started = { gateway: TestGateway; api: Api; bot: ChatId; hooks: () => Promise<Hook[]> }

const urlIn = (text: string): string => /https:\S+/.exec(text)?.[0] ?? ''

const test = base
  .extend(
    'start',
    ({ world, alice }) =>
      async (env: Record<string, string> = {}, clock?: ManualClock): Promise<Started> => {
        const settings = { HOOKS_URL, BOT_OWNERS: alice.id, ...env }
        const { gateway, api } = await onlineGateway(world, settings, clock ? { clock } : {})
        const bot = privateChatId(gateway.client.account)
        return { gateway, api, bot, hooks: () => api.ok<Hook[]>('GET', '/v1/hooks') }
      },
  )
  /** A bot that alice owns; alice and bob came by its link. */
  .extend(
    'owned',
    ({ alice, bob, start }) =>
      async (env: Record<string, string> = {}, clock?: ManualClock): Promise<Started> => {
        const started = await start(env, clock)
        const { invite_url } = await started.api.me()
        for (const person of [alice, bob]) await person.openInvite(invite_url)
        await expect.poll(() => started.gateway.client.chats.list().length, SOON).toBe(2)
        return started
      },
  )
  .extend('grouped', ({ alice, bob, owned }) => async (env: Record<string, string> = {}) => {
    const started = await owned(env)
    const bot = started.gateway.client.account
    const group = await alice.client.chats.createGroup({ name: 'Дежурные', members: [bot, bob.id] }, WITHIN)
    await expect.poll(() => started.gateway.client.chats.list().length, SOON).toBe(3)
    return { ...started, group: group.id }
  })

describe('the commands of an owner', () => {
  test.for(['alerts', 'pipeline', 'text'])(
    '[GATEWAY-10.19] /hook %s makes a hook for this chat and answers its URL',
    async (format, { alice, owned }) => {
      const { gateway, bot, hooks } = await owned()
      const text = await answer(alice, bot, `/hook ${format}`)
      const [hook] = await hooks()
      expect(hook).toMatchObject({ chat_id: alice.id, format })
      expect(text).toMatch(new RegExp(`^Хук ${hook?.id} \\(${format}\\) для этого чата создан\\. Его адрес:\n`))
      expect(urlIn(text)).toMatch(/^https:\/\/hooks\.example\.org\/hooks\/[\w-]{43}$/)
      if (format !== 'text') return
      expect((await say(gateway, { url: urlIn(text) }, 'by the hook')).status).toBe(200)
      await alice.hears('by the hook')
    },
  )

  test('[GATEWAY-10.19] /hooks lists the hooks of this chat', async ({ alice, bob, owned }) => {
    const { bot, api } = await owned()
    expect(await answer(alice, bot, '/hooks')).toBe(`В этом чате хуков нет. Создать: ${allFormats.inChat}.`)
    const first = await api.ok<Hook>('POST', '/v1/hooks', { chat_id: alice.id, format: 'text' })
    const other = await api.ok<Hook>('POST', '/v1/hooks', { chat_id: bob.id, format: 'alerts' })
    const list = await answer(alice, bot, '/hooks')
    expect(list).toMatch(new RegExp(`^Хуки этого чата:\n${first.id}: text, создан \\d\\d\\.\\d\\d\\.\\d{4}\n`))
    expect(list).not.toContain(other.id)
  })

  test('[GATEWAY-10.19] /unhook <id> removes a hook', async ({ alice, owned }) => {
    const { bot, api, hooks } = await owned()
    const { id } = await api.ok<Hook>('POST', '/v1/hooks', { chat_id: alice.id, format: 'text' })
    expect(await answer(alice, bot, `/unhook ${id.toUpperCase()}`)).toBe(
      `Хук ${id} удалён, его адрес больше не работает.`,
    )
    expect(await hooks()).toEqual([])
    expect(await answer(alice, bot, `/unhook ${id}`)).toBe(`Хука «${id}» нет. Список хуков этого чата: /hooks.`)
  })

  test.for([
    ['/hook', `Укажите формат: ${allFormats.inChat}.`],
    ['/hook html', `Формата «html» нет. Используйте ${allFormats.inChat}.`],
    ['/hook text please', `Формата «text please» нет. Используйте ${allFormats.inChat}.`],
    [`/hook ${'x'.repeat(40)}`, `Формата «${'x'.repeat(31)}…» нет. Используйте ${allFormats.inChat}.`],
    ['/hook «x»', `Формата «„x“» нет. Используйте ${allFormats.inChat}.`],
    ['/unhook', 'Укажите идентификатор хука: /unhook <id>. Список хуков: /hooks.'],
    ['/unhook x y', 'Хука «x y» нет. Список хуков этого чата: /hooks.'],
  ] as const)('[GATEWAY-10.19] wrong arguments get a helpful answer: %s', async ([text, helpful], { alice, owned }) => {
    const { bot, hooks } = await owned()
    expect(await answer(alice, bot, text)).toBe(helpful)
    expect(await hooks()).toEqual([])
  })

  test('[GATEWAY-10.19] what only looks like a command is none; capitals do not matter', async ({ alice, owned }) => {
    const { bot, hooks } = await owned()
    for (const text of ['/hooked', 'x /hook text', '/hook_x', '/help', 'hook text']) await alice.say(bot, text)
    expect(await answer(alice, bot, '/HOOK Text')).toMatch(/^Хук /)
    expect(await hooks()).toHaveLength(1)
  })

  test('[GATEWAY-10.19] commands come as updates too, with UPDATES=off they work all the same', async ({
    world,
    alice,
    owned,
    start,
  }) => {
    const { api, bot, gateway } = await owned()
    await alice.say(bot, '/hooks')
    await api.next('message', ({ message }) => message.text === '/hooks')
    await hearsFrom(alice, 'В этом чате')
    await world.closeGateway(gateway)
    await start({ UPDATES: 'off' })
    expect(await answer(alice, bot, '/hook text')).toMatch(/^Хук /)
  })
})

describe('in a group', () => {
  test('[GATEWAY-10.19] the URL goes to the owner in a private chat only', async ({ alice, bob, grouped }) => {
    const { gateway, bot, group, hooks } = await grouped()
    await alice.say(group, '/hook text')
    const told = await hearsFrom(alice, 'Хук')
    const inGroup = await hearsFrom(bob, 'Хук')
    const [hook] = await hooks()
    expect([told.chat_id, hook?.chat_id, inGroup.chat_id]).toEqual([bot, group, group])
    expect(told.text).toMatch(/^Хук \w+ \(text\) для группы «Дежурные» создан\. Его адрес:\nhttps:/)
    expect(inGroup.text).toBe(
      `Хук ${hook?.id} (text) для этой группы создан. Его адрес отправлен владельцу в личный чат.`,
    )
    expect((await say(gateway, { url: urlIn(told.text ?? '') }, 'to all')).status).toBe(200)
    await bob.hears('to all')
    expect(bob.texts(group).join()).not.toContain('https:')
  })

  test('[GATEWAY-10.19] only a command that mentions this bot is meant for it', async ({ alice, bob, grouped }) => {
    const { group, hooks } = await grouped()
    await alice.client.messages.sendText(group, { text: '/hook text', mentions: [] }, WITHIN)
    await alice.client.messages.sendText(
      group,
      { text: '/hook text', mentions: [{ user: bob.id, offset: 0, length: 5 }] },
      WITHIN,
    )
    await alice.say(group, '/hooks')
    expect((await hearsFrom(bob, 'В этом чате')).text).toContain('хуков нет')
    expect(await hooks()).toEqual([])
  })

  test('[GATEWAY-10.19] an owner who cannot be written to is told so in the group, and no hook is left', async ({
    alice,
    bob,
    start,
  }) => {
    const { gateway, api } = await start({ ACCEPT_REQUESTS: 'contacts' })
    await bob.openInvite((await api.me()).invite_url)
    await expect.poll(() => gateway.client.chats.list().length, SOON).toBe(1)
    await alice.client.chats.open({ account: gateway.client.account }, WITHIN)
    const group = await bob.client.chats.createGroup({ name: 'g', members: [gateway.client.account, alice.id] }, WITHIN)
    const requested = () => gateway.client.chats.list().map(({ state }) => state)
    await expect.poll(requested, SOON).toContain('request')
    await api.call('POST', `/v1/chats/${group.id}/accept`)
    await expect.poll(() => alice.client.chats.list().some(({ id }) => id === group.id), SOON).toBe(true)
    const mentions = [{ user: gateway.client.account, offset: 0, length: 5 }]
    await alice.client.messages.sendText(group.id, { text: '/hook text', mentions }, WITHIN)
    expect((await hearsFrom(bob, 'Хук не создан')).text).toContain('Напишите боту лично')
    expect(await api.ok('GET', '/v1/hooks')).toEqual([])
  })
})

describe('the others', () => {
  test('[GATEWAY-10.20] are told their own account id, a few times a minute', async ({ clock, alice, bob, owned }) => {
    const { gateway, bot, hooks } = await owned({}, clock)
    for (const command of ['/hook text', '/hooks', '/unhook x'])
      expect(await answer(bob, bot, command)).toMatch(
        new RegExp(`^Управлять хуками могут только владельцы бота\\.\nИдентификатор вашего аккаунта: ${bob.id}\n`),
      )
    await bob.say(bot, '/hook text')
    expect(await answer(alice, bot, '/hooks')).toMatch(/хуков нет/)
    clock.leap(hookLimits.strangerAnswersMs)
    await passTime(clock, gateway.client.whenOnline({ timeoutMs: 3_600_000 }))
    await answer(bob, bot, '/hooks')
    expect(bob.texts(bot).filter(text => text.startsWith('Управлять'))).toHaveLength(4)
    expect(await hooks()).toEqual([])
  })

  test('[GATEWAY-10.20] other bots are told nothing', async ({ world, bob, owned }) => {
    const { gateway, api, bot } = await owned()
    const helper = await world.person('helper', { bot: true })
    await helper.openInvite((await api.me()).invite_url)
    await helper.say(bot, '/hook text')
    await api.next('message', ({ message }) => message.from.id === helper.id)
    expect(await answer(bob, bot, '/hooks')).toContain(bob.id)
    expect(gateway.client.messages.list(privateChatId(helper.id), { limit: 10 }).map(({ text }) => text)).toEqual([
      '/hook text',
    ])
  })
})

describe('the list of commands', () => {
  const named = ({ commands }: Bot) => commands.map(({ name }) => name)

  test('[GATEWAY-10.21] has the hook commands while the bot has none of its own', async ({ world, owned, start }) => {
    const { gateway, api } = await owned()
    const { commands } = await api.me()
    expect(commands).toEqual([
      { name: 'hook', description: 'Создать хук для этого чата', args: allFormats.inCommand },
      { name: 'hooks', description: 'Показать хуки этого чата' },
      { name: 'unhook', description: 'Удалить хук', args: 'id' },
    ])
    const own = [{ name: 'own', description: '' }]
    await api.ok('PUT', '/v1/me/commands', { commands: own })
    expect((await api.me()).commands).toEqual(own)
    await world.closeGateway(gateway)
    const { api: second, gateway: again } = await start()
    expect((await second.me()).commands).toEqual(own)
    await second.ok('PUT', '/v1/me/commands', { commands: [] })
    expect(named(await second.me())).toEqual(['hook', 'hooks', 'unhook'])
    await world.closeGateway(again)
    const { api: third } = await start({ HOOKS_URL: '' })
    expect((await third.me()).commands).toEqual([])
  })

  test('[GATEWAY-10.21] people see them, and the commands of an operator stay without hooks', async ({
    world,
    alice,
    owned,
    start,
  }) => {
    const { gateway, api, bot } = await owned()
    const profile = () => alice.client.identity.learnProfile(gateway.client.account, WITHIN)
    await expect.poll(async () => (await profile()).commands.length, SOON).toBe(3)
    await api.ok('PUT', '/v1/me/commands', { commands: [{ name: 'own', description: '' }] })
    expect(await answer(alice, bot, '/hooks')).toContain('хуков нет')
    await world.closeGateway(gateway)
    const { api: next } = await start({ HOOKS_URL: '' })
    expect(named(await next.me())).toEqual(['own'])
  })
})

describe('restarts', () => {
  test('[GATEWAY-10.22] a command is carried out and answered once, whatever was lost in between', async ({
    world,
    alice,
    owned,
    start,
  }) => {
    const { gateway, bot, hooks } = await owned()
    const pass = gateway.wire.incoming
    await alice.say(bot, '/hook text')
    await expect.poll(async () => (await hooks()).length, SOON).toBe(1)
    await hearsFrom(alice, 'Хук')
    // The relay accepts the answer, and the gateway is stopped before it knows.
    await alice.say(bot, '/hook alerts')
    gateway.wire.incoming = frame =>
      gateway.client
        .records('hooks')
        .all()
        .some(({ key }) => key.startsWith('answer/'))
        ? []
        : pass(frame)
    await hearsFrom(alice, 'Хук')
    await world.closeGateway(gateway)
    const again = await start()
    expect(await answer(alice, bot, '/hooks')).toMatch(/^Хуки этого чата/)
    expect(await again.hooks()).toHaveLength(2)
    expect(alice.texts(bot).filter(text => text.startsWith('Хук '))).toHaveLength(2)
    expect(
      again.gateway.client
        .records('hooks')
        .all()
        .filter(({ key }) => key.startsWith('answer/')),
    ).toEqual([])
  })

  test('[GATEWAY-10.22] commands from before there were hooks are not carried out, and those while it was away are', async ({
    world,
    alice,
    owned,
    start,
  }) => {
    const first = await owned({ HOOKS_URL: '' })
    await alice.say(first.bot, '/hook text')
    await first.api.next('message')
    await world.closeGateway(first.gateway)
    const second = await start()
    expect(await answer(alice, second.bot, '/hooks')).toContain('хуков нет')
    await world.closeGateway(second.gateway)
    await alice.say(second.bot, '/hook alerts')
    const third = await start()
    await hearsFrom(alice, 'Хук')
    expect((await third.hooks()).map(({ format }) => format)).toEqual(['alerts'])
  })

  test('[GATEWAY-10.22] without HOOKS_URL its cursor does not hold the journal back', async ({
    world,
    alice,
    owned,
    start,
  }) => {
    const { gateway, bot } = await owned()
    await answer(alice, bot, '/hooks')
    await world.closeGateway(gateway)
    const { gateway: off, api } = await start({ HOOKS_URL: '' })
    const { id } = await alice.say(bot, 'hello')
    const update = await api.next('message', ({ message }) => message.id === id)
    await api.updates(`offset=${update.id + 1}`)
    await expect.poll(() => off.client.journal.read(0, 100), SOON).toEqual([])
  })
})
