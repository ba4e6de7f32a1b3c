// A person whose client breaks the rules talks to a real browser: even content that our own side would never send
// breaks no screen.
import type { AccountId, ChatId } from '@postern/protocol'
import { SeededRandom } from '@postern/testkit/random'
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { findingsOf } from './axe.ts'
import { anyWords, cutTo, MARKS, RUNS } from './hostile-pieces.ts'
import { ModifiedBot } from './modified-bot.ts'
import { faultsOfShape } from './page-shape.ts'
import { test as base } from './walk-test.ts'

const SEED = 20_261_116
const ROUNDS = 12

const test = base
  .extend(
    'mallory',
    { scope: 'file' },
    async ({ world }) => new ModifiedBot(await world.person('Mallory', { bot: true })),
  )
  .extend(
    'alice',
    async ({ openApp }) => await openApp({ viewport: { width: 380, height: 780 }, reducedMotion: 'reduce' }),
  )

const go = ({ page }: AppPerson, place: string): Promise<void> => page.evaluate(to => void (location.hash = to), place)

/** From left to right and from right to left. */
async function expectSound({ page }: AppPerson, screen: string): Promise<void> {
  const found: string[] = []
  for (const direction of ['rtl', '']) {
    await page.evaluate(dir => void (document.documentElement.dir = dir), direction)
    found.push(...(await faultsOfShape(page)).map(fault => `${direction} ${fault}`))
  }
  found.push(...(await findingsOf(page)))
  expect(found.map(fault => `${screen}: ${fault}`)).toEqual([])
}

test('[APP-14.19] a bot that is called anything breaks no screen', async ({ mallory, alice: { person: alice } }) => {
  const random = new SeededRandom(SEED)
  const name = `M${MARKS.repeat(14)}<b>\u202E\u2066`
  await mallory.isCalled({
    name,
    about: cutTo(512, `${RUNS} ${'W'.repeat(200)} Z${MARKS.repeat(90)}`),
    commands: [
      { name: 'w'.repeat(32), description: cutTo(256, RUNS), args: 'W'.repeat(32) },
      { name: 'marks', description: `Z${MARKS.repeat(60)}` },
      { name: 'turned', description: `\u202Egnp.exe ${'W'.repeat(200)}`, args: `Z${MARKS.repeat(7)}` },
    ],
  })
  await alice.page.goto(mallory.link)
  await alice.page.getByRole('heading', { name: /^M/ }).waitFor()
  await expectSound(alice, 'the invitation')
  await alice.page.getByRole('textbox', { name: 'Your name' }).fill('Alice')
  await alice.presses(/^Start (a chat with|chat)/)
  await alice.button('Start').waitFor()
  await expectSound(alice, 'the empty chat')
  await alice.presses('Start')
  const chat = await mallory.startedIn()
  await alice.presses('Commands')
  await alice.page.getByRole('option').nth(2).waitFor()
  await expectSound(alice, 'the commands')
  await alice.field.fill('')
  await go(alice, `p/${mallory.id}`)
  await alice.page.getByRole('heading', { name: 'Info' }).waitFor()
  await expectSound(alice, 'about the bot')

  const group = await mallory.makesGroup(cutTo(128, `G${MARKS.repeat(20)}${RUNS}`), chat as string as AccountId)
  for (const title of [`T\u202E\n${'W'.repeat(120)}`, anyWords(random, 128)]) await mallory.renames(group, title)
  await mallory.greets(group, `M${MARKS.repeat(15)}`)
  await mallory.says(group, { kind: 'text', text: 'the end' })
  await go(alice, `c/${group}`)
  await alice.sees('the end')
  await expectSound(alice, 'a group')
  await go(alice, `info/${group}`)
  await alice.page.getByRole('heading', { name: 'Group info' }).waitFor()
  await expectSound(alice, 'about the group')
  await go(alice, '')
  await alice.page.getByRole('link', { name: /the end/ }).waitFor()
  await expectSound(alice, 'the list')
  // Not in the group: groups that strangers add a person to are not searched before they are accepted.
  await mallory.says(chat, { kind: 'text', text: `needle Z${MARKS.repeat(50)} ${RUNS}` })
  await alice.page.getByRole('link', { name: /needle/ }).waitFor()
  await alice.page.getByRole('textbox', { name: 'Search' }).fill('needle')
  await alice.page.locator('mark').waitFor()
  await expectSound(alice, 'what was found')
  await go(alice, 'new-group')
  await alice.page.getByRole('checkbox').first().waitFor()
  await expectSound(alice, 'whom to choose')
  await go(alice, `p/${mallory.id}`)
  await alice.presses('Block')
  await alice.dialog(/^Block/).waitFor()
  await expectSound(alice, 'a question with a name')
})

/** One of each kind, made at random: the same in every run. */
async function saysAnything(mallory: ModifiedBot, chat: ChatId, random: SeededRandom): Promise<void> {
  const words = (charsMax: number): string => anyWords(random, charsMax)
  const buttons = [
    [
      { text: words(64), data: words(8) },
      { text: words(64), url: `https://evil.example/${'W'.repeat(500)}` },
    ],
    [{ text: words(64), url: `https://evil.example/#${RUNS}` }],
  ]
  const mentions = [{ user: mallory.id, offset: random.below(9), length: 1 + random.below(400) }]
  await mallory.says(chat, { kind: 'text', text: words(4096), buttons, mentions })
  const options = Array.from({ length: 2 + random.below(11) }, () => words(100))
  await mallory.says(chat, { kind: 'poll', question: words(300), options, multiple: random.next() < 0.5 })
  await mallory.sendsFile(chat, {
    shownAs: random.of(['photo', 'video', 'voice', 'file']),
    name: words(255),
    text: words(4096),
    width: random.of([1, 100_000]),
    height: random.of([1, 100_000]),
    durationMs: 30 * 86_400_000,
    preview: `data:image/${random.of(['webp', 'jpeg'])};base64,${'A'.repeat(400)}`,
    buttons: [[{ text: words(64), data: 'x' }]],
  })
}

test('[APP-14.19] contents that our side would never send break no screen', async ({
  mallory,
  alice: { person: alice },
}) => {
  await alice.arrives(mallory.link, 'Alice')
  await alice.presses('Start')
  const chat = await mallory.startedIn()
  const random = new SeededRandom(SEED)
  for (let round = 0; round < ROUNDS; round++) await saysAnything(mallory, chat, random)
  await mallory.says(chat, { kind: 'text', text: `10,000 marks ${MARKS.repeat(2500)}` })
  await mallory.says(chat, { kind: 'shape of things to come', text: RUNS })
  await mallory.says(chat, { kind: 'text', text: `Z${MARKS.repeat(1023)}` })
  await mallory.says(chat, { kind: 'text', text: 'W'.repeat(4096) })
  await mallory.says(chat, { kind: 'text', text: 'the end' })
  await alice.sees('the end')
  await expectSound(alice, 'a conversation')
  // Longer than any content may be: nobody shows it.
  expect(await alice.message('10,000 marks').count()).toBe(0)

  await alice
    .button(/opens a page$/)
    .last()
    .click()
  await alice.dialog('Open this link?').waitFor()
  await expectSound(alice, 'a link that is asked about')
  await alice.page.keyboard.press('Escape')
  await alice.message('the end').click({ button: 'right' })
  await alice.chooses('Reply')
  await alice.writes('to you')
  await alice.seesSent('to you')
  await expectSound(alice, 'a reply')
})
