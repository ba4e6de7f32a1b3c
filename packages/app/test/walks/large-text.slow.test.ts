// A person with weak eyes and a small phone: letters of twice the size, 380 pixels, and no motion.
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { useEmojiFont } from './emoji-font.ts'
import { faultsOfRoom } from './page-room.ts'
import { test as base } from './walk-test.ts'

const test = base.extend(
  'alice',
  async ({ openApp }) => await openApp({ viewport: { width: 380, height: 780 }, reducedMotion: 'reduce' }),
)

declare global {
  /** The elements that have moved since the page was opened. */
  var moved: string[]
}

/** From the first moment on. A thousandth of a second is no motion. */
async function watchesMotion({ page }: AppPerson): Promise<void> {
  await page.addInitScript(() => {
    globalThis.moved = []
    const note = (event: Event): void => {
      const { target } = event
      if (!(target instanceof Element)) return
      const isMoving = target.getAnimations().some(one => Number(one.effect?.getComputedTiming().duration) > 10)
      if (isMoving) globalThis.moved.push(`${event.type} ${target.className}`)
    }
    for (const kind of ['animationstart', 'transitionrun']) addEventListener(kind, note, true)
  })
}

const enlarge = ({ page }: AppPerson): Promise<void> =>
  page.evaluate(() => void (document.documentElement.style.fontSize = '200%'))

const go = ({ page }: AppPerson, place: string): Promise<void> => page.evaluate(to => void (location.hash = to), place)

type EmojiFont = 'as the machine has it' | 'with an emoji font'

class Looks {
  readonly #person: AppPerson
  readonly #font: EmojiFont
  readonly #found: string[] = []
  #hasFont = false

  constructor(person: AppPerson, font: EmojiFont) {
    this.#person = person
    this.#font = font
  }

  async at(screen: string): Promise<void> {
    await enlarge(this.#person)
    if (this.#font === 'with an emoji font' && !this.#hasFont) await useEmojiFont(this.#person.page)
    this.#hasFont = true
    const faults = await faultsOfRoom(this.#person.page)
    this.#found.push(...faults.map(fault => `${screen}: ${fault}`))
  }

  assertSound(): void {
    expect(this.#found).toEqual([])
  }
}

test.for<EmojiFont>(['as the machine has it', 'with an emoji font'])(
  '[APP-14.21] with letters of twice the size, %s, there is room for everything, and nothing moves',
  async (font, { bot, alice: { person: alice } }) => {
    const looks = new Looks(alice, font)
    await watchesMotion(alice)
    await bot.introduces('Says when the ferries go, and keeps a seat for you.', [
      { name: 'next', description: 'The next ferry' },
      { name: 'from', description: 'Ferries from a pier', args: 'pier' },
    ])
    await alice.page.goto(bot.link)
    await alice.button(/^Start (a chat with|chat)/).waitFor()
    await looks.at('the invitation')
    await alice.page.getByRole('textbox', { name: 'Your name' }).fill('Alice')
    await alice.presses(/^Start (a chat with|chat)/)
    await alice.button('Start').waitFor()
    await looks.at('the empty chat')
    await alice.presses('Start')
    const { chat_id: chat } = await bot.hears('/start')
    await bot.asks(chat, {
      question: 'Which pier is the one that you mean?',
      options: ['North', 'South, behind the lighthouse'],
    })
    await bot.says(chat, {
      text: 'At 18:40 from the north pier.',
      buttons: [
        [
          { text: 'Keep a seat for me', data: 'seat' },
          { text: 'Later', data: 'later' },
        ],
        [{ text: 'Timetable', url: 'https://ferries.example/timetable' }],
      ],
    })
    await alice.presses('Keep a seat for me')
    const { button } = await bot.next('button')
    await looks.at('a press that waits')
    await bot.answers(button.press_id, 'Seat 14 is yours until 18:30.')
    await alice.seesToast('Seat 14')
    await looks.at('a toast')
    await alice.page.getByRole('status').getByRole('button', { name: 'Close' }).click()
    await alice.presses(/^Timetable/)
    await alice.dialog('Open this link?').waitFor()
    await looks.at('a question')
    await alice.page.keyboard.press('Escape')
    await alice.presses('Commands')
    await alice.page.getByRole('option').first().waitFor()
    await looks.at('the commands')
    await alice.field.fill('')
    await alice.message('At 18:40').click({ button: 'right' })
    await alice.page.getByRole('menuitem', { name: 'Reply' }).waitFor()
    await looks.at('what to do with a message')
    await alice.page.getByRole('menuitem', { name: 'More reactions' }).click()
    await alice.dialog('Choose a reaction').waitFor()
    await looks.at('all reactions')
    await alice.page.keyboard.press('Escape')
    await alice.message('At 18:40').click({ button: 'right' })
    await alice.page.getByRole('menuitem', { name: 'React with 👍' }).click()
    await alice.message('At 18:40').getByRole('button', { name: /👍/ }).waitFor()
    await looks.at('a reaction')
    await go(alice, '')
    await alice.page.getByRole('link', { name: /Harbour/ }).waitFor()
    await looks.at('the list')
    for (const part of [
      '',
      '/profile',
      '/invite',
      '/keep-account',
      '/notifications',
      '/appearance',
      '/blocked',
      '/about',
    ]) {
      await go(alice, `settings${part}`)
      await alice.page.getByRole('main').getByRole('heading').first().waitFor()
      await looks.at(`settings${part.replace('/', ' ')}`)
    }
    looks.assertSound()
    expect(await alice.page.evaluate(() => globalThis.moved)).toEqual([])
  },
)

/** The share of its sign that an icon takes. */
const shareOf = ({ page }: AppPerson, sign: string): Promise<number> =>
  page.locator(sign).evaluate(element => {
    const widthOf = (of: Element | null) => of?.getBoundingClientRect().width ?? 0
    return widthOf(element.querySelector('.icon')) / widthOf(element)
  })

test('[APP-14.21] with letters of twice the size, a sign grows with its icon', async ({
  bot,
  alice: { person: alice },
}) => {
  await alice.starts(bot, 'Alice')
  await enlarge(alice)
  await go(alice, 'settings/profile')
  expect(await shareOf(alice, '.face-camera')).toBeLessThan(0.6)
  await go(alice, 'settings/privacy')
  await alice.presses(/^App lock/)
  await alice.dialog('App lock').waitFor()
  expect(await shareOf(alice, '.dialog-sign')).toBeLessThan(0.6)
})

test('[APP-14.21] with letters of twice the size, no tab of the gallery is broken in its word', async ({
  bot,
  alice: { person: alice },
}) => {
  await alice.starts(bot, 'Alice')
  await enlarge(alice)
  await alice.presses(/^About/)
  await alice.presses('Media, files and links')
  await alice.page.getByRole('tab', { name: 'Links' }).waitFor()
  const lines = await alice.page.getByRole('tab').evaluateAll(tabs =>
    tabs.map(tab => {
      const words = document.createRange()
      words.selectNodeContents(tab)
      return words.getClientRects().length
    }),
  )
  expect(lines).toEqual([1, 1, 1, 1])
})

test('[APP-14.56] scrollbars have the colours of the scheme on every screen', async ({
  bot,
  alice: { person: alice },
}) => {
  await alice.starts(bot, 'Alice')
  const colourOf = (place: string) =>
    alice.page.locator(place).evaluate(element => getComputedStyle(element).scrollbarColor)
  const inChat = await colourOf('[role="log"]')
  expect(inChat).not.toBe('auto')
  await go(alice, 'settings/privacy')
  await expect.poll(() => colourOf('.page-body')).toBe(inChat)
})
