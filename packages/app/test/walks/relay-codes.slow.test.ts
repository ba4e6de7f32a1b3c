// A person opens a link of a relay that accepts new accounts with a code: the name, the code, the chat.
import { builtApp } from '@postern/app/build'
import { WITHIN, World } from '@postern/testkit'
import { expect } from 'vitest'
import { Tour } from './tour.ts'
import { test as walk } from './walk-test.ts'

/** The log line for the relay's refusal. */
const REFUSED = /relay accepts new accounts by invite|does not know this invite/

const test = walk
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('world', { scope: 'file' }, async ({}, { onCleanup }) => {
    const world = await World.start({ relayApp: await builtApp(), relayRegistration: 'invite' })
    onCleanup(() => world.stop())
    return world
  })
  .extend('gateway', { scope: 'file' }, async ({ world }) => {
    const gateway = await world.gateway({ BOT_NAME: 'Harbour', RELAY_INVITE: await world.relayInvite() })
    await gateway.client.whenOnline(WITHIN)
    return gateway
  })

test('[APP-8.12] a wrong code is told at its field, and the right one leads on to the chat of the link', async ({
  world,
  bot,
  alice: { person: alice, faults },
}) => {
  faults.expected = REFUSED
  await alice.arrives(bot.link, 'Alice')
  const field = alice.page.getByRole('textbox', { name: 'Code' })
  await field.and(alice.page.locator(':focus')).waitFor()
  const tour = new Tour(alice)
  await tour.looksAt('relay-code')
  await field.fill('mistyped')
  await alice.presses('Continue')
  await alice.page.getByText('This code is not valid').waitFor()
  expect(await field.inputValue()).toBe('mistyped')
  await field.and(alice.page.locator(':focus')).waitFor()
  await tour.looksAt('relay-code-wrong')
  await field.fill(await world.relayInvite())
  await field.press('Enter')
  await alice.presses('Start')
  const { message } = await bot.next('message', update => update.message.text === '/start')
  expect(message.from.name).toBe('Alice')
  await alice.page.reload()
  await alice.seesSent('/start')
  tour.assertSound()
})
