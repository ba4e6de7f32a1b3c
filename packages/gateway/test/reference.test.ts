// The reference page of the API, over HTTP and in a real browser.
import { apiError } from '@postern/bot-api'
import { connectChromium } from '@postern/testkit/browser'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { onlineGateway } from './api.ts'

const files = ['/reference', '/reference/page.css', '/reference/page.js', '/reference/rapidoc.js']
const SEND = 'post-/v1/chats/-chat-/messages'

const test = base
  .extend('online', { scope: 'file' }, ({ world }) => onlineGateway(world, { REFERENCE: 'on' }))
  .extend('url', { scope: 'file' }, ({ online }) => online.gateway.url)
  /** Its pages end with it. */
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('browser', { scope: 'file' }, async ({}, { onCleanup }) => {
    const browser = await connectChromium()
    onCleanup(() => browser.close())
    return browser
  })
  /** Opens the page for a reader, and records its requests and everything that the policy blocks. */
  .extend('open', ({ browser, url }) => async (reader: Parameters<typeof browser.newContext>[0]) => {
    const context = await browser.newContext(reader)
    const page = await context.newPage()
    const heard: string[] = []
    page.on('pageerror', ({ message }) => heard.push(message))
    page.on('console', said => said.type() === 'error' && heard.push(said.text()))
    page.on('request', request => !request.url().startsWith(`${url}/`) && heard.push(request.url()))
    await page.goto(`${url}/reference`)
    await page.locator(`rapi-doc [id="${SEND}"], rapi-doc [id="link-${SEND}"]`).first().waitFor()
    return { page, heard: () => heard.filter(line => line !== 'data:,') }
  })

test('[GATEWAY-11.1] the page is there when it was asked for, and only then', async ({ world, url }) => {
  const answer = await fetch(`${url}/reference`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(await answer.text()).toContain('spec-url="openapi.json"')
  const without = await world.gateway({ DATA_DIR: `${world.directory}/without` })
  for (const file of files) {
    const refused = await fetch(`${without.url}${file}`)
    expect([refused.status, apiError.parse(await refused.json()).code]).toEqual([404, 'not_found'])
    expect((await fetch(`${url}${file}`, { method: 'POST' })).status).toBe(404)
  }
})

test('[GATEWAY-11.2] a policy lets nothing in from elsewhere', async ({ url }) => {
  for (const file of files) {
    const { headers } = await fetch(`${url}${file}`, { method: 'HEAD' })
    const policy = headers.get('content-security-policy')?.split('; ') ?? []
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    )
    expect(policy.join(';')).not.toMatch(/unsafe-eval|unsafe-hashes|https?:|\*/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  }
})

test('[GATEWAY-11.3] a token that is typed in is used, and kept nowhere', async ({ open, online, url }) => {
  // Words of people and operators are shown, and never become part of the page.
  const about = '<img src=/reference/planted onerror=document.title=1><script>document.title=2</script>'
  await online.api.ok('PATCH', '/v1/me', { about })
  const { page, heard } = await open({ colorScheme: 'light' })
  const asked: string[] = []
  page.on('request', request => asked.push(request.url()))
  await page.getByText('Authentication').first().click()
  await page.getByPlaceholder('api-token').fill(online.gateway.token)
  await page.getByRole('button', { name: 'SET' }).click()
  await page.locator('[id="link-get-/v1/me"]').click()
  await page.getByRole('button', { name: 'TRY' }).click()
  await page.getByText('Response Status: OK:200').waitFor()
  await page.getByText(about).first().waitFor()
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]))
  expect([kept, page.url()].join()).not.toContain(online.gateway.token)
  expect(asked).toEqual([`${url}/v1/me`])
  expect([heard(), await page.title()]).toEqual([[], 'Postern: the HTTP API'])
})

test('[GATEWAY-11.4] files are packed, and not sent twice', async ({ url }) => {
  for (const file of files) {
    const packed = await fetch(`${url}${file}`, { headers: { 'accept-encoding': 'br, gzip' } })
    const plain = await fetch(`${url}${file}`, { headers: { 'accept-encoding': 'gzip;q=0, identity' } })
    expect([packed.headers.get('content-encoding'), plain.headers.get('content-encoding')]).toEqual(['gzip', null])
    expect(packed.headers.get('vary')).toBe('accept-encoding')
    expect(await packed.text()).toBe(await plain.text())
    const etag = packed.headers.get('etag') ?? ''
    const again = await fetch(`${url}${file}`, { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect((await fetch(`${url}${file}`, { headers: { 'if-none-match': '"another"' } })).status).toBe(200)
  }
  const { headers } = await fetch(`${url}/reference/rapidoc.js`, { headers: { 'accept-encoding': 'gzip' } })
  expect(Number(headers.get('content-length'))).toBeLessThan(250_000)
})

test('[GATEWAY-11.5] it is light or dark as its reader likes, and whole where it is narrow', async ({ open }) => {
  const grounds = []
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, heard } = await open({ colorScheme })
    grounds.push(await page.locator('rapi-doc').getAttribute('bg-color'))
    expect(heard()).toEqual([])
  }
  expect(grounds).toEqual(['#fbfaf7', '#151a19'])
  const { page, heard } = await open({ viewport: { width: 390, height: 844 } })
  await page.getByText('/v1/me/commands').first().waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.getByPlaceholder('api-token').waitFor()
  expect(heard()).toEqual([])
})
