// Several tabs on one account, and crashes during sends: every message arrives once, in order.
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { test, testInChromium } from './walk-test.ts'
import type { WalkingBot } from './walking-bot.ts'

const numbers = Array.from({ length: 20 }, (_, at) => `number ${at}`)

async function writesAll(person: AppPerson): Promise<void> {
  for (const text of numbers) await person.writes(text)
}

/** Once each and in order, for the bot and on the screen. */
async function arrivedOnce(bot: WalkingBot, { chat, person }: { chat: string; person: AppPerson }): Promise<void> {
  await expect.poll(() => bot.textsOf(chat)).toEqual(['/start', ...numbers])
  const unsent = person.message(/Waiting to be sent|Sending|Checking/)
  await expect.poll(() => unsent.count()).toBe(0)
  const shown = async () => (await person.texts()).flatMap(text => text.match(/number \d+/) ?? [])
  await expect.poll(shown).toEqual(numbers)
}

/** The worker fails, as when its memory has run out; the page starts another. */
async function kill({ page }: AppPerson): Promise<void> {
  const [worker] = page.workers()
  const another = page.waitForEvent('worker')
  await worker?.evaluate(
    () =>
      void setTimeout(() => {
        throw new Error('the core was killed')
      }),
  )
  await another
}

test('[APP-14.7] a second tab shows the same, and the leading one can be closed amid sends of the other', async ({
  bot,
  alice: { person: alice },
}) => {
  const chat = await alice.starts(bot, 'Alice')
  const other = await alice.opensTab()
  await other.sees('/start')
  const ferry = await bot.says(chat, { text: 'Ferry?', buttons: [[{ text: 'Book', data: 'book' }]] })
  await alice.sees('Ferry?')
  await other.sees('Ferry?')
  await alice.presses('Book')
  await other.page.getByRole('button', { name: 'Book', disabled: true }).waitFor()
  await bot.edits(ferry, { text: 'Booked.' })
  await other.sees('Booked.')

  const closing = bot.hears('number 4').then(() => alice.page.close())
  await Promise.all([writesAll(other), closing])
  await arrivedOnce(bot, { chat, person: other })
})

testInChromium(
  '[APP-14.8] a core that dies amid sends loses nothing and doubles nothing',
  async ({ bot, alice: { person: alice, faults } }) => {
    const chat = await alice.starts(bot, 'Alice')
    faults.expected = /the core was killed/
    const killing = bot.hears('number 4').then(() => kill(alice))
    await Promise.all([writesAll(alice), killing])
    await arrivedOnce(bot, { chat, person: alice })
    // Unsent text is not lost either: the screen stays while another core starts.
    await alice.field.pressSequentially('half a sen')
    await kill(alice)
    await alice.field.pressSequentially('tence')
    await alice.presses('Send')
    await bot.hears('half a sentence')
  },
)

testInChromium(
  '[APP-14.8] a tab that is killed amid sends of another loses nothing and doubles nothing',
  async ({ bot, alice: { person: alice } }) => {
    const chat = await alice.starts(bot, 'Alice')
    const other = await alice.opensTab()
    await other.sees('/start')
    const devtools = await alice.context.newCDPSession(alice.page)
    const killing = bot.hears('number 4').then(async () => {
      const crashed = alice.page.waitForEvent('crash')
      devtools.send('Page.crash').catch(() => undefined)
      await crashed
    })
    await Promise.all([writesAll(other), killing])
    await arrivedOnce(bot, { chat, person: other })
  },
)

test('[APP-14.9] a relay that stops amid sends: what is not sent waits, can be taken back, and goes out later', async ({
  world,
  bot,
  alice: { person: alice, faults },
}) => {
  const chat = await alice.starts(bot, 'Alice')
  faults.mayBeCut = true
  const stopping = bot.hears('number 4').then(() => world.stopRelay())
  await Promise.all([writesAll(alice), stopping])
  await alice.writes('better not')
  const strip = alice.page.getByText('Connecting…', { exact: true })
  await strip.waitFor()
  const regretted = alice.message('better not')
  await regretted.getByText('Waiting to be sent').waitFor()
  await regretted.getByRole('button', { name: 'Cancel sending' }).click()
  await regretted.waitFor({ state: 'detached' })
  await world.startRelay()
  await arrivedOnce(bot, { chat, person: alice })
  await strip.waitFor({ state: 'detached' })
})
