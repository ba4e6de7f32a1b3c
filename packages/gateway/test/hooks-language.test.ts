// The language of the gateway's own texts: Russian unless LANGUAGE or a hook says otherwise.
import { readdirSync, readFileSync } from 'node:fs'
import type { BotLanguage, CreatedHook, Hook } from '@postern/bot-api'
import type { TestPerson } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { readAlerts } from '../src/hooks/formats/alerts.ts'
import { readPipeline } from '../src/hooks/formats/pipeline.ts'
import { wordsIn } from '../src/hooks/words/words.ts'
import { SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { allFormats, answer, type HookedGateway, hearsFrom, hookedGateway, newHook, post } from './hooks.ts'

type Fields = Record<string, unknown>

const fixture = (name: string): Fields =>
  JSON.parse(readFileSync(new URL(`./fixtures/alerts/${name}.json`, import.meta.url), 'utf8')) as Fields

const run = (status: string, more: Fields = {}): Fields => ({
  object_kind: 'pipeline',
  object_attributes: { id: 31, ref: 'main', sha: 'bcbb5ec396', status, url: 'https://git.example.org/shop/31' },
  project: { path_with_namespace: 'shop/cart' },
  commit: { title: 'Count twice', author: { name: 'Alice' } },
  builds: [{ name: 'unit', status: 'failed' }],
  ...more,
})

const around = ['Branch: main', 'Commit: bcbb5ec3 Count twice', 'Author: Alice']
const link = 'https://git.example.org/shop/31'

describe('the words in English', () => {
  const alerts: [string, Fields, string[]][] = [
    [
      'one that fires',
      fixture('firing-1'),
      ['🔥 InstanceDown: 1 alert', 'InstanceDown on node-1 (warning, node-01.example.test:9100)'],
    ],
    [
      'one that is resolved',
      fixture('resolved-1'),
      ['✅ Resolved: InstanceDown, 1 alert', 'InstanceDown on node-1 (warning, node-01.example.test:9100)'],
    ],
    [
      'both states',
      { version: '4', alerts: [{ status: 'resolved' }, { status: 'firing' }] },
      ['🔥 Unnamed: 1 alert, 1 resolved', 'no description', '✅ no description'],
    ],
    [
      'more names than are shown',
      {
        version: '4',
        alerts: ['A', 'B', 'C', 'D', 'E', 'F'].map(alertname => ({ status: 'firing', labels: { alertname } })),
      },
      ['🔥 A, B, C and 3 more: 6 alerts', 'A', 'B', 'C', 'D', 'E', 'F'],
    ],
  ]
  base.for(alerts)('[GATEWAY-10.29] alerts: %s', ([, payload, lines]) => {
    expect(readAlerts(payload, wordsIn.en.alerts).text.split('\n')).toEqual(lines)
  })

  base('[GATEWAY-10.29] alerts: the count of those that are not shown', () => {
    const lastLine = (payload: Fields) => readAlerts(payload, wordsIn.en.alerts).text.split('\n').at(-1)
    const states = (firing: number, resolved: number) => ({
      version: '4',
      alerts: [
        ...Array.from({ length: firing }, () => ({ status: 'firing' })),
        ...Array.from({ length: resolved }, () => ({ status: 'resolved' })),
      ],
    })
    expect(
      [fixture('firing-many-25'), states(11, 0), states(12, 3), states(10, 2), states(0, 12)].map(lastLine),
    ).toEqual([
      '…and 15 more alerts',
      '…and 1 more alert',
      '…and 2 more alerts, 3 more resolved',
      '…and 2 more resolved',
      '…and 2 more alerts',
    ])
  })

  const pipelines: [string, Fields, string[]][] = [
    ['failed', run('failed'), ['❌ Pipeline failed: shop/cart', ...around, 'Failed job: unit', link]],
    ['canceled', run('canceled'), ['🚫 Pipeline canceled: shop/cart', ...around, link]],
    ['fixed', run('success'), ['✅ Fixed: shop/cart, the pipeline passes again', ...around, link]],
    [
      'of a merge request, with two failed jobs',
      run('failed', {
        merge_request: { iid: 7, title: 'Count', source_branch: 'count', target_branch: 'main' },
        builds: ['unit', 'lint'].map(name => ({ name, status: 'failed' })),
      }),
      [
        '❌ Pipeline failed: shop/cart',
        'Merge request: !7 Count',
        'Branch: count → main',
        ...around.slice(1),
        'Failed jobs: unit, lint',
        link,
      ],
    ],
    [
      'of a tag of a project without a name',
      { object_kind: 'pipeline', object_attributes: { status: 'failed', ref: 'v1', tag: true } },
      ['❌ Pipeline failed: unnamed project', 'Tag: v1'],
    ],
  ]
  base.for(pipelines)('[GATEWAY-10.29] pipelines: %s', ([, payload, lines]) => {
    expect(readPipeline(payload, wordsIn.en.pipeline)?.text.split('\n')).toEqual(lines)
  })

  base('[GATEWAY-10.29] no other source file of the gateway has a Russian text', () => {
    const source = new URL('../src/', import.meta.url)
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))
    const withRussian = files.filter(name => {
      const code = readFileSync(new URL(name, source), 'utf8').replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '')
      return /\p{Script=Cyrillic}/u.test(code)
    })
    expect(withRussian).toEqual([
      'hooks/words/russian-living.ts',
      'hooks/words/russian-owners.ts',
      'hooks/words/russian-senders.ts',
      'hooks/words/russian.ts',
    ])
  })
})

const test = base.extend(
  'owned',
  ({ world, alice }) =>
    (env: Record<string, string> = {}): Promise<HookedGateway> =>
      hookedGateway(world, alice, { env: { BOT_OWNERS: alice.id, ...env } }),
)

const inEnglish = allFormats.inChat.replace('или', 'or')
const urlIn = (text: string): string => /https:\S+/.exec(text)?.[0] ?? ''

test('[GATEWAY-10.30] with LANGUAGE=en messages and answers are in English', async ({ alice, bob, owned }) => {
  const { gateway, api, chatId } = await owned({ LANGUAGE: 'en' })
  await bob.openInvite((await api.me()).invite_url)
  expect(await answer(alice, chatId, '/hooks')).toBe(`This chat has no hooks. To create one: ${inEnglish}.`)
  expect(await answer(alice, chatId, '/hook')).toBe(`Name a format: ${inEnglish}.`)
  expect(await answer(alice, chatId, '/hook “html”')).toBe(`There is no format “‘html’”. Use ${inEnglish}.`)
  expect(await answer(alice, chatId, '/unhook')).toBe(
    'Name the id of the hook: /unhook <id>. To list the hooks: /hooks.',
  )
  expect(await answer(alice, chatId, '/unhook x')).toBe('There is no hook “x”. To list the hooks of this chat: /hooks.')
  const made = await answer(alice, chatId, '/hook alerts')
  const [hook] = await api.ok<Hook[]>('GET', '/v1/hooks')
  expect(made).toBe(
    `Hook ${hook?.id} (alerts) for this chat is ready. Its address:\n${urlIn(made)}\n\nAnyone who knows this address can write to the chat as the bot: keep it like a password. The bot will not show it again.\nThe bot deletes this message 10 minutes after you have read it, and after a day at the latest: save the address now.\nTo remove the hook: /unhook ${hook?.id}`,
  )
  expect((await post(gateway, { url: urlIn(made) }, { json: fixture('firing-1') })).status).toBe(200)
  const fired = await hearsFrom(alice, '🔥 InstanceDown: 1 alert')
  expect((await post(gateway, { url: urlIn(made) }, { json: fixture('resolved-1') })).status).toBe(200)
  expect(await hearsFrom(alice, '✅')).toMatchObject({
    text: '✅ Resolved: InstanceDown, 1 alert',
    reply_to: fired.id,
  })
  expect(await answer(alice, chatId, '/hooks')).toMatch(
    new RegExp(`^Hooks of this chat:\n${hook?.id}: alerts, created \\d{4}-\\d\\d-\\d\\d\nTo remove one: /unhook <id>$`),
  )
  expect(await answer(alice, chatId, `/unhook ${hook?.id}`)).toBe(
    `Hook ${hook?.id} is removed; its address no longer works.`,
  )
  expect(await answer(bob, chatId, '/hooks')).toBe(
    `Only the owners of the bot can manage hooks.\nYour account id: ${bob.id}\nTo become an owner, ask the bot's administrator to add this id to BOT_OWNERS.`,
  )
})

test('[GATEWAY-10.30] in a group too', async ({ alice, bob, owned }) => {
  const { gateway, api, chatId } = await owned({ LANGUAGE: 'en' })
  const members = [gateway.client.account, bob.id]
  const group = await alice.client.chats.createGroup({ name: 'On call', members }, { timeoutMs: SOON.timeout })
  await expect.poll(() => gateway.client.chats.list().length, SOON).toBe(2)
  await alice.say(group.id, '/hook text')
  const told = await hearsFrom(alice, 'Hook')
  const inGroup = await hearsFrom(bob, 'Hook')
  const [hook] = await api.ok<Hook[]>('GET', '/v1/hooks')
  expect([told.chat_id, told.text?.split('\n')[0]]).toEqual([
    chatId,
    `Hook ${hook?.id} (text) for the group “On call” is ready. Its address:`,
  ])
  expect(inGroup.text).toBe(
    `Hook ${hook?.id} (text) for this group is ready. Its address was sent to the owner in a private chat.`,
  )
})

test('[GATEWAY-10.30] the list of commands follows LANGUAGE, and an operator’s own list stays', async ({ owned }) => {
  const hooked = await owned({ LANGUAGE: 'en' })
  const descriptions = async () => (await hooked.api.me()).commands.map(({ description }) => description)
  expect(await descriptions()).toEqual(['Create a hook for this chat', 'List the hooks of this chat', 'Remove a hook'])
  await hooked.restart({ env: { LANGUAGE: 'ru' } })
  expect(await descriptions()).toEqual(['Создать хук для этого чата', 'Показать хуки этого чата', 'Удалить хук'])
  await hooked.api.ok('PUT', '/v1/me/commands', { commands: [{ name: 'own', description: 'of ours' }] })
  await hooked.restart({ env: { LANGUAGE: 'en' } })
  expect(await descriptions()).toEqual(['of ours'])
})

describe('the language of one hook', () => {
  const firstLine: Record<BotLanguage, string> = {
    ru: '🔥 InstanceDown: 1 срабатывание',
    en: '🔥 InstanceDown: 1 alert',
  }

  /** The first line that the bot writes for a real alert. */
  async function writes({ gateway }: HookedGateway, hook: { url: string }, alice: TestPerson): Promise<string> {
    expect((await post(gateway, hook, { json: fixture('firing-1') })).status).toBe(200)
    return (await hearsFrom(alice, '🔥')).text?.split('\n')[0] ?? ''
  }

  test('[GATEWAY-10.31] is that of its creation, whatever LANGUAGE says, and is listed', async ({ alice, owned }) => {
    const hooked = await owned()
    const { api } = hooked
    const create = (lang: BotLanguage) =>
      api.ok<CreatedHook>('POST', '/v1/hooks', { chat_id: alice.id, format: 'alerts', lang })
    const own = { ru: await create('ru'), en: await create('en') }
    const plain = await newHook(api, alice.id, 'alerts')
    expect([own.ru.lang, own.en.lang, 'lang' in plain]).toEqual(['ru', 'en', false])
    const shown = (hooks: Hook[]) => hooks.map(({ id, lang }) => [id, lang])
    const listed = [
      [own.ru.id, 'ru'],
      [own.en.id, 'en'],
      [plain.id, undefined],
    ]
    expect(shown(await api.ok<Hook[]>('GET', '/v1/hooks'))).toEqual(listed)
    expect(await writes(hooked, own.ru, alice)).toBe(firstLine.ru)
    expect(await writes(hooked, own.en, alice)).toBe(firstLine.en)
    expect(await writes(hooked, plain, alice)).toBe(firstLine.ru)
    await hooked.restart({ env: { LANGUAGE: 'en' } })
    expect(shown(await hooked.api.ok<Hook[]>('GET', '/v1/hooks'))).toEqual(listed)
    const later = { json: fixture('firing-many-25') }
    for (const [hook, line] of [
      [own.ru, '🔥 HighLoad: 25 срабатываний'],
      [own.en, '🔥 HighLoad: 25 alerts'],
      [plain, '🔥 HighLoad: 25 alerts'],
    ] as const) {
      expect((await post(hooked.gateway, hook, later)).status).toBe(200)
      expect((await hearsFrom(alice, '🔥')).text?.split('\n')[0]).toBe(line)
    }
  })

  test('[GATEWAY-10.31] a language that there is not is 400', async ({ alice, owned }) => {
    const { api } = await owned()
    for (const lang of ['de', '', 5, null])
      expect(await api.call('POST', '/v1/hooks', { json: { chat_id: alice.id, format: 'text', lang } })).toMatchObject({
        status: 400,
        body: { error: 'lang: must be ru or en.' },
      })
    expect(await api.ok('GET', '/v1/hooks')).toEqual([])
  })

  test('[GATEWAY-10.31] can be the second word of the command', async ({ alice, owned }) => {
    const hooked = await owned()
    const made = await answer(alice, hooked.chatId, '/hook alerts EN')
    const [hook] = await hooked.api.ok<Hook[]>('GET', '/v1/hooks')
    expect(hook).toMatchObject({ format: 'alerts', lang: 'en' })
    expect(made).toMatch(new RegExp(`^Хук ${hook?.id} \\(alerts, en\\) для этого чата создан\\.`))
    expect(await writes(hooked, { url: urlIn(made) }, alice)).toBe(firstLine.en)
    expect(await answer(alice, hooked.chatId, '/hooks')).toContain(`${hook?.id}: alerts, en, создан `)
    expect(await answer(alice, hooked.chatId, '/hook alerts de')).toBe(
      `Формата «alerts de» нет. Используйте ${allFormats.inChat}.`,
    )
    expect(await hooked.api.ok('GET', '/v1/hooks')).toHaveLength(1)
  })
})
