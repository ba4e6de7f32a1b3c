// A page of the web app that stalls and is reloaded while a bot talks to it: it shows every acknowledged text.
import { setTimeout as pause } from 'node:timers/promises'
import { builtApp } from '@postern/app/build'
import { chatIdOf, type Message } from '@postern/bot-api'
import { SeededRandom, type TestGateway, WITHIN, World } from '@postern/testkit'
import { launchOptions } from '@postern/testkit/chromium'
import { readUpwards, scrollDownTo, slowDown, stall } from '@postern/testkit/stalled-page'
import { chromium, type Page } from 'playwright-core'
import type { Finding } from '../chaos/check/finding.ts'
import type { Report } from '../chaos/report.ts'
import { checkShown } from './check/check-shown.ts'

export type BrowserOptions = { seconds: number; seed: number; say: (line: string) => void }
/**
 * `said`: the bot's texts that the relay acknowledged. `written`: Alice's texts that the page has shown as sent, empty
 * if that is unknown.
 */
type Talk = { page: Page; gateway: TestGateway; chat: string; said: string[]; written: string[]; endMs: number }

const ACTION_TIMEOUT_MS = 60_000
const BURST_MAX = 12
/** The states of a message that the relay has. */
const SENT = /Sent|Delivered|Read/
const PAGE = 100

export async function runBrowser({ seconds, seed, say }: BrowserOptions): Promise<Report> {
  const world = await World.start({ relayApp: await builtApp() })
  const browser = await chromium.launch(launchOptions())
  try {
    const gateway = await world.gateway({ BOT_NAME: 'Harbour' })
    await gateway.client.whenOnline(WITHIN)
    const context = await browser.newContext({ locale: 'en-GB' })
    context.setDefaultTimeout(ACTION_TIMEOUT_MS)
    const page = await context.newPage()
    const chat = await arrive(page, gateway)
    const talk: Talk = { page, gateway, chat, said: [], written: [], endMs: Date.now() + seconds * 1000 }
    const faults = new Map<string, number>()
    await Promise.all([
      speak(talk, new SeededRandom(seed)),
      write(talk),
      disturb(talk, { random: new SeededRandom(seed + 1), faults, say }),
    ])
    const findings = await compare(talk)
    const acknowledged = new Map([
      ['text to the page', talk.said.length],
      ['text of the page', talk.written.filter(Boolean).length],
    ])
    return { findings, faults, acknowledged }
  } finally {
    await browser.close()
    await world.stop()
  }
}

/** By the bot's link, as a new person. Returns the chat as the bot knows it. */
async function arrive(page: Page, gateway: TestGateway): Promise<string> {
  await page.goto(gateway.client.identity.me().inviteUrl)
  await page.getByRole('textbox', { name: 'Your name' }).fill('Alice')
  await page.getByRole('button', { name: /^Start (a chat with|the chat)/ }).click()
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  for (;;) {
    const [chat] = gateway.client.chats.list()
    if (chat && textsOf(gateway, chat.id).includes('/start')) return chat.id
    await pause(50)
  }
}

/** All texts of the chat that the bot has, oldest first. */
function textsOf({ client }: TestGateway, chat: string): string[] {
  const all: Message[] = []
  for (;;) {
    const place = all[0] ? { beforeTs: all[0].ts } : {}
    const older = client.messages.list(chatIdOf(chat), { limit: PAGE, ...place })
    all.unshift(...older)
    if (older.length < PAGE) return all.map(({ text }) => text ?? '')
  }
}

/** One after the other, in bursts: the order of the answers is the order of the texts. */
async function speak({ gateway, chat, said, endMs }: Talk, random: SeededRandom): Promise<void> {
  while (Date.now() < endMs) {
    for (let count = random.below(BURST_MAX); count >= 0; count--) {
      const text = `said ${said.length}.`
      await gateway.client.messages.sendText(chatIdOf(chat), { text }, WITHIN)
      said.push(text)
    }
    await pause(random.below(200))
  }
  await gateway.client.messages.sendText(chatIdOf(chat), { text: `said ${said.length}.` }, WITHIN)
  said.push(`said ${said.length}.`)
}

/** As a person types: a text that a reload removed from the field was not sent. */
async function write({ page, written, endMs }: Talk): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  while (Date.now() < endMs) {
    const text = `wrote ${written.length}.`
    try {
      await field.fill(text, { timeout: 5000 })
      await field.press('Enter', { timeout: 5000 })
      const row = page.getByRole('log').getByRole('article').filter({ hasText: text })
      await row.filter({ hasText: SENT }).last().waitFor({ timeout: 5000 })
      written.push(text)
    } catch {
      // The page is being reloaded, or stalls: it is unknown whether the text was accepted, so another one is written.
      written.push('')
    }
    await pause(100)
  }
}

type Disturbing = { random: SeededRandom; faults: Map<string, number>; say: (line: string) => void }

async function disturb({ page, endMs }: Talk, { random, faults, say }: Disturbing): Promise<void> {
  const kinds: Record<string, () => Promise<unknown>> = {
    'busy core': () => stall(page, { coreMs: 50 + random.below(600) }),
    'busy screen': () => stall(page, { screenMs: 50 + random.below(600) }),
    'busy core and screen': () => stall(page, { coreMs: 300, screenMs: 300 }),
    'slow machine': async () => {
      await slowDown(page, 2 + random.below(6))
      await pause(500 + random.below(1500))
      await slowDown(page, 1)
    },
    reload: () => page.reload(),
  }
  while (Date.now() < endMs) {
    // With more reloads, the page would hardly have time to stall.
    const kind = random.below(20) === 0 ? 'reload' : random.of(Object.keys(kinds).filter(name => name !== 'reload'))
    say(kind)
    faults.set(kind, (faults.get(kind) ?? 0) + 1)
    await kinds[kind]?.()
    await pause(random.below(150))
  }
}

async function compare({ page, gateway, chat, said, written }: Talk): Promise<Finding[]> {
  const findings: Finding[] = []
  const taken = written.filter(Boolean)
  for (const when of ['at the end', 'after a reload']) {
    if (when === 'after a reload') await page.reload()
    if (!(await scrollDownTo(page, said.at(-1) ?? '')))
      findings.push({ wrong: 'unsettled', deed: 'text to the page', what: `the last text is not shown ${when}` })
    const shown = await readUpwards(page, /said \d+\./, 'said 0.')
    findings.push(...checkShown({ when, kind: 'text to the page', acknowledged: said, shown }))
  }
  const heard = textsOf(gateway, chat).filter(text => taken.includes(text))
  return [
    ...findings,
    ...checkShown({ when: 'at the bot', kind: 'text of the page', acknowledged: taken, shown: heard }),
  ]
}
