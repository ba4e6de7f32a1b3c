// The console, over HTTP and in a real browser.

import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import type { CreatedHook, CreatedToken, Hook } from '@postern/bot-api'
import { privateChatId } from '@postern/protocol'
import { connectChromium } from '@postern/testkit/browser'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { onlineGateway, SOON } from './api.ts'
import { answerWith, TestReceiver } from './receiver.ts'

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof connectChromium>>['newPage']>>

const files = ['/console', '/console/page.css', '/console/page.js']

const test = base
  .extend('online', ({ world }) => onlineGateway(world, { CONSOLE: 'on', HOOKS_URL: 'https://hooks.example.org' }))
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('browser', async ({}, { onCleanup }) => {
    const browser = await connectChromium()
    onCleanup(() => browser.close())
    return browser
  })
  .extend(
    'open',
    ({ browser, online: { gateway } }) =>
      async (reader: Parameters<typeof browser.newContext>[0] = {}) => {
        const context = await browser.newContext(reader)
        const page = await context.newPage()
        const heard: string[] = []
        page.on('pageerror', ({ message }) => heard.push(message))
        page.on(
          'console',
          said => said.type() === 'error' && /policy|refused/i.test(said.text()) && heard.push(said.text()),
        )
        page.on(
          'request',
          one => !/^(data|blob):/.test(one.url()) && !one.url().startsWith(`${gateway.url}/`) && heard.push(one.url()),
        )
        await page.goto(`${gateway.url}/console`)
        return { page, heard }
      },
  )

async function login(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Log in' }).click()
}

/** A request with a Host of its own choice which fetch does not allow. */
async function statusAs(url: string, host: string, headers: Record<string, string> = {}): Promise<number> {
  const answered = Promise.withResolvers<number>()
  const asked = request(url, { setHost: false, headers: { ...headers, host } }, answer => {
    answer.resume()
    answered.resolve(answer.statusCode ?? 0)
  })
  asked.on('error', answered.reject)
  asked.end()
  return await answered.promise
}

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Evaluated by the debugger, not by the page: its policy stays unchanged. */
async function findingsOf(page: Page): Promise<unknown> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Runtime.evaluate', { expression: `(() => {${axe}})(); 0` })
  const run = `axe.run(document, { resultTypes: ['violations'] })`
  const shown = '({ id, nodes }) => [id, nodes[0].html, nodes[0].failureSummary]'
  const { result } = await devtools.send('Runtime.evaluate', {
    expression: `${run}.then(({ violations }) => JSON.stringify(violations.map(${shown})))`,
    awaitPromise: true,
    returnByValue: true,
  })
  await devtools.detach()
  return JSON.parse(String(result.value))
}

test('[GATEWAY-16.1] the console is there when it was asked for, without data, and its code only for a token', async ({
  online: { gateway },
  world,
}) => {
  for (const file of files) expect((await fetch(gateway.url + file)).status).toBe(200)
  const code = `${gateway.url}/console/invite.svg`
  expect((await fetch(code)).status).toBe(401)
  const svg = await fetch(code, { headers: { authorization: `Bearer ${gateway.token}` } })
  expect([svg.status, svg.headers.get('content-type'), (await svg.text()).startsWith('<svg')]).toEqual([
    200,
    'image/svg+xml',
    true,
  ])
  const without = await world.gateway({ DATA_DIR: `${world.directory}/without` })
  for (const file of files) expect((await fetch(without.url + file)).status).toBe(404)
})

test('[GATEWAY-16.2] a policy allows no inline code and nothing from elsewhere', async ({ online: { gateway } }) => {
  for (const file of files) {
    const { headers } = await fetch(gateway.url + file)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining(["frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "connect-src 'self'"]),
    )
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  }
  const page = await (await fetch(`${gateway.url}/console`)).text()
  expect(page).not.toMatch(/<script>|<style|\son\w+=|\sstyle=/)
})

test('[GATEWAY-16.3] a name that somebody else can point here is refused', async ({ world }) => {
  const { gateway } = await onlineGateway(world, { CONSOLE: 'on', CONSOLE_HOSTS: 'console.example.org' })
  const own = [
    '127.0.0.1:8080',
    'localhost',
    'bot.localhost:80',
    '[::1]:8080',
    '192.168.1.5',
    'console.example.org',
    'Console.Example.org:443',
  ]
  const others = [
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'xconsole.example.org',
    'console.example.org.evil.example',
    'a b',
    '127.0.0.1:8080@evil.example',
    '',
  ]
  const authorization = { authorization: `Bearer ${gateway.token}` }
  for (const [hosts, status] of [
    [own, 200],
    [others, 403],
  ] as const)
    for (const host of hosts)
      for (const file of [...files, '/console/invite.svg'])
        expect([host, file, await statusAs(gateway.url + file, host, authorization)]).toEqual([host, file, status])
  // The API itself has its token against that, and proxies with names of their own.
  expect(await statusAs(`${gateway.url}/v1/me`, 'evil.example', authorization)).toBe(200)
})

test('[GATEWAY-16.4] it shows the bot, live updates and hooks, sends, tries a hook, and forgets its token', async ({
  online: { gateway, api },
  open,
  alice,
}) => {
  const toBot = privateChatId(gateway.client.account)
  const { page, heard } = await open()
  await login(page, 'wrong')
  await page.getByText('This token is wrong, or was revoked.').waitFor()
  await login(page, gateway.token)
  await page.getByText('No chat yet').waitFor()
  await page.getByText('Waiting for updates.').waitFor()
  await alice.openInvite((await api.me()).invite_url)
  await api.next('chat')
  const hook = await api.ok<CreatedHook>('POST', '/v1/hooks', { chat_id: alice.id, format: 'text' })
  await page.getByText('Online', { exact: true }).waitFor()
  await page.getByText((await api.me()).invite_url).waitFor()
  await page.getByRole('img', { name: 'QR code of the invite link' }).waitFor()
  await page.getByText('polling', { exact: true }).waitFor()
  await page.getByText(/never used/).waitFor()

  // Words of people are shown, and never become part of the page.
  const words = '<img src=x onerror=document.title=1>'
  await alice.say(toBot, words)
  const update = page.getByRole('list', { name: 'Updates, newest first' }).getByRole('listitem')
  await update.getByText(words).first().click()
  await update.getByText('"type": "message"').waitFor()
  expect(await page.title()).toBe('Postern: console')
  // The bot's own queue still has it.
  expect((await api.nextMessage()).message.text).toBe(words)

  await page.getByLabel('Text', { exact: true }).fill("it's a test")
  expect(await page.locator('#curl').textContent()).toContain(
    `'{"text":"it'\\''s a test"}' ${gateway.url}/v1/chats/${alice.id}/messages`,
  )
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await alice.hears("it's a test")
  await page.getByLabel('Address of a hook').fill(hook.url)
  await page.getByRole('button', { name: 'Show what would be written' }).click()
  await page.locator('#dry-answer').getByText('The backup is done.').waitFor()
  await page.locator('dt:text-is("Messages sent") + dd:text-is("1")').waitFor()
  await fetch(gateway.url + new URL(hook.url).pathname, { method: 'POST', body: 'The disk is full.' })
  await alice.hears('The disk is full.')
  await page.getByText(new RegExp(`text · ${hook.id} · alice · written, .*${new Date().getFullYear()}`)).waitFor()

  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, document.cookie, location.href]))
  expect(kept).not.toContain(gateway.token)
  await page.reload()
  await page.getByText('Online', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByLabel('Token').waitFor()
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  expect(await page.locator('main').textContent()).not.toContain(words)
  expect(heard).toEqual([])
})

test('[GATEWAY-16.4] of two open consoles both show every update, and one continues when the other is closed', async ({
  online: { gateway, api },
  open,
  alice,
}) => {
  await alice.openInvite((await api.me()).invite_url)
  const toBot = privateChatId(gateway.client.account)
  const pages = [(await open()).page, (await open()).page]
  for (const page of pages) {
    await login(page, gateway.token)
    await page.getByText('Waiting for updates.').waitFor()
  }
  await alice.say(toBot, 'to both')
  for (const page of pages) await page.getByText('to both').first().waitFor()
  const [closed, other] = pages
  await closed?.getByRole('button', { name: 'Log out' }).click()
  await alice.say(toBot, 'to the other')
  await other?.getByText('to the other').first().waitFor()
  expect(await other?.locator('#live > li', { hasText: 'to both' }).count()).toBe(1)
})

test('[GATEWAY-16.11] a console whose stream ends before its first update resumes where it began', async ({
  online: { gateway, api },
  open,
  alice,
}) => {
  await alice.openInvite((await api.me()).invite_url)
  await api.next('chat')
  const { page } = await open()
  let streams = 0
  await page.route('**/v1/updates/stream?*', async route => {
    streams += 1
    if (streams > 1) return await route.continue()
    // Its end, and what comes until the page is back. The bot confirms it, too.
    await alice.say(privateChatId(gateway.client.account), 'in between')
    const { id } = await api.nextMessage()
    await route.fulfill({ contentType: 'text/event-stream', body: `retry: 1000\n\nid: ${id - 1}\n\n` })
  })
  await login(page, gateway.token)
  await page.getByRole('list', { name: 'Updates, newest first' }).getByText('in between').first().waitFor()
})

test('[GATEWAY-16.5] delivery that fails is shown, and tried again at a press', async ({
  online: { gateway, api },
  open,
  alice,
}) => {
  await using receiver = await TestReceiver.start()
  receiver.answer = answerWith(500)
  await api.ok('PUT', '/v1/webhook', { url: receiver.url, secret: 'a-secret' })
  await alice.openInvite((await api.me()).invite_url)
  const { page } = await open()
  await login(page, gateway.token)
  await page.getByText(/500/).waitFor()
  receiver.answer = answerWith(200)
  await page.getByRole('button', { name: 'Retry now' }).click()
  await expect.poll(async () => (await api.ok<{ pending: number }>('GET', '/v1/webhook')).pending, SOON).toBe(0)
})

test('[GATEWAY-16.5] the console says how updates are delivered, or that the bot only sends', async ({
  world,
  online,
  browser,
}) => {
  const silent = await onlineGateway(world, {
    CONSOLE: 'on',
    UPDATES: 'off',
    DATA_DIR: join(world.directory, 'silent'),
  })
  const page = await (await browser.newContext()).newPage()
  const delivery = page.locator('#delivery')
  await page.goto(`${online.gateway.url}/console`)
  await login(page, online.gateway.token)
  await expect.poll(() => delivery.innerText(), SOON).toMatch(/^Mode\s+polling\s+Updates that wait\s+\d+$/)
  await page.goto(`${silent.gateway.url}/console`)
  await login(page, silent.gateway.token)
  await expect.poll(() => delivery.innerText(), SOON).toMatch(/^Mode\s+off, the bot only sends$/)
})

test('[GATEWAY-16.6] a token with fewer rights sees what it may, and a revoked one is back at the login', async ({
  online: { api },
  open,
  alice,
}) => {
  await alice.openInvite((await api.me()).invite_url)
  await api.next('chat')
  const token = await api.ok<CreatedToken>('POST', '/v1/tokens', { name: 'wall', scopes: ['read'], chats: [alice.id] })
  const { page } = await open()
  await login(page, token.token)
  await page
    .getByText(/limited to some chats/)
    .first()
    .waitFor()
  await page.getByText(/needs the scope hooks/).waitFor()
  expect(await findingsOf(page)).toEqual([])
  await page.getByText((await api.me()).invite_url).waitFor()
  await api.ok('DELETE', `/v1/tokens/${token.id}`)
  await page.getByLabel('Token').waitFor()
  await page.getByText('This token is wrong, or was revoked.').waitFor()
})

test('[GATEWAY-16.7] it has no findings of axe in light and dark, and fits a phone', async ({
  online: { gateway, api },
  open,
  alice,
}) => {
  await alice.openInvite((await api.me()).invite_url)
  for (const [colorScheme, width] of [
    ['light', 1100],
    ['dark', 390],
  ] as const) {
    const { page } = await open({ colorScheme, viewport: { width, height: 844 } })
    for (const state of ['out', 'in']) {
      if (state === 'in') {
        await login(page, gateway.token)
        await page.getByText('Waiting for updates.').waitFor()
        await alice.say(privateChatId(gateway.client.account), 'hello')
        await page.getByRole('list', { name: 'Updates, newest first' }).getByText('hello').first().waitFor()
        await page.getByRole('img', { name: 'QR code' }).waitFor()
      }
      expect([colorScheme, state, await findingsOf(page)]).toEqual([colorScheme, state, []])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
  }
})

test('[GATEWAY-16.9] it creates a hook, shows its address once, and removes it after a second press', async ({
  online: { gateway, api },
  open,
  alice,
}) => {
  await alice.openInvite((await api.me()).invite_url)
  await api.next('chat')
  const { page, heard } = await open()
  await login(page, gateway.token)
  await page.getByText('There is no hook yet.').waitFor()
  await page.getByLabel('Chat of the hook').selectOption(alice.id)
  expect(await page.getByLabel('Format').locator('option').allTextContents()).not.toContain('template')
  await page.getByLabel('Format').selectOption('slack')
  await page.getByRole('button', { name: 'Create hook' }).click()
  await page.getByText('This address is shown once:').waitFor()
  const address = (await page.getByLabel('Address of the new hook').textContent()) ?? ''
  const posted = await fetch(gateway.url + new URL(address).pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'from the new hook' }),
  })
  expect(await posted.text()).toBe('ok')
  await alice.hears('from the new hook')
  const [hook] = await api.ok<Hook[]>('GET', '/v1/hooks')
  expect(hook).toMatchObject({ format: 'slack', chat_id: alice.id })
  expect(await page.getByLabel('Address of a hook').inputValue()).toBe(address)
  expect(await findingsOf(page)).toEqual([])
  const remove = page.getByRole('button', { name: `Remove ${hook?.id}`, exact: true })
  await remove.click()
  // A look elsewhere undoes the first press.
  await page.getByRole('button', { name: `Really remove ${hook?.id}` }).waitFor()
  await page.getByLabel('Text', { exact: true }).focus()
  await remove.click()
  expect(await api.ok('GET', '/v1/hooks')).toHaveLength(1)
  expect(await findingsOf(page)).toEqual([])
  await page.getByRole('button', { name: `Really remove ${hook?.id}` }).click()
  await page.getByText('There is no hook yet.').waitFor()
  expect(await api.ok('GET', '/v1/hooks')).toEqual([])
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByLabel('Token').waitFor()
  expect(await page.locator('body').textContent()).not.toContain(address)
  expect(await page.locator('#address').inputValue()).toBe('')
  expect(heard).toEqual([])
})

test('[GATEWAY-16.13] a hook that refused its last post is shown as a fault, with the reason', async ({
  online: { gateway, api },
  open,
  alice,
}) => {
  await alice.openInvite((await api.me()).invite_url)
  await api.next('chat')
  const hook = await api.ok<CreatedHook>('POST', '/v1/hooks', { chat_id: alice.id, format: 'alerts' })
  const headers = { 'content-type': 'application/json' }
  const refused = await fetch(gateway.url + new URL(hook.url).pathname, { method: 'POST', headers, body: '{}' })
  expect(refused.status).toBe(400)
  const { page } = await open({ viewport: { width: 390, height: 844 } })
  await login(page, gateway.token)
  await page.locator('#hooks .bad', { hasText: hook.id }).waitFor()
  // No button of a phone breaks its words.
  for (const name of ['Log out', `Remove ${hook.id}`]) {
    const box = await page.getByRole('button', { name, exact: true }).boundingBox()
    expect(box?.height).toBeLessThanOrEqual(40)
  }
})
