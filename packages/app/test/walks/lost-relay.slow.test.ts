// A relay that returns empty, and accepts nobody any more: each screen explains it, in the person's language.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { builtApp } from '@postern/app/build'
import { World, type WorldOptions } from '@postern/testkit'
import { Tour } from './tour.ts'
import { inviteOf, test as walk } from './walk-test.ts'

/** The log lines for the relay's answers. */
const REFUSED = /does not know|not accept new accounts/

const test = walk
  .extend('relay', { scope: 'file' }, (): WorldOptions => ({}))
  .extend('world', { scope: 'file' }, async ({ relay }, { onCleanup }) => {
    const world = await World.start(Object.assign(relay, { relayApp: await builtApp() }))
    onCleanup(() => world.stop())
    return world
  })

test('[APP-5.14, APP-8.11] a relay that knows the account no more, and one that takes no new ones, are told of in both languages', async ({
  world,
  relay,
  openApp,
}) => {
  const { person: alice, faults } = await openApp()
  const { person: boris, faults: others } = await openApp({ locale: 'ru-RU' })
  for (const one of [faults, others]) Object.assign(one, { expected: REFUSED, mayBeCut: true })
  // Both have received messages, and so are known to the relay, before it loses everything.
  const bob = await world.person('bob')
  const link = await inviteOf(world, bob.client)
  await alice.arrives(link, 'Alice')
  await alice.writes('Alice is here')
  await bob.hears('Alice is here')
  await boris.page.goto(link)
  await boris.page.getByRole('textbox').fill('Борис')
  await boris.presses(/^Начать чат/)
  const field = boris.page.getByRole('textbox', { name: 'Сообщение', exact: true })
  await field.fill('Борис здесь')
  await field.press('Enter')
  await bob.hears('Борис здесь')
  await world.close(bob)

  await world.stopRelay()
  rmSync(join(world.directory, 'relay'), { recursive: true })
  relay.relayRegistration = 'closed'
  await world.startRelay()
  await alice.page.getByRole('heading', { name: 'The relay does not know your account' }).waitFor()
  await boris.page.getByRole('heading', { name: 'Сервер не знает вашего аккаунта' }).waitFor()
  const tours = [new Tour(alice), new Tour(boris)] as const
  await tours[0].looksAt('account-unknown')
  await tours[1].looksAt('account-unknown-ru')

  await alice.presses('Erase everything and start over')
  await alice.dialog('Erase everything').getByRole('button', { name: 'Erase', exact: true }).click()
  await alice.page.getByRole('textbox', { name: 'Your name' }).fill('Alice')
  await alice.presses('Get started')
  await alice.page.getByRole('heading', { name: 'This relay does not accept new accounts' }).waitFor()
  await tours[0].looksAt('registration-closed')
  await boris.presses('Удалить всё и начать заново')
  await boris.dialog('Удалить всё').getByRole('button', { name: 'Удалить', exact: true }).click()
  await boris.page.getByRole('textbox').fill('Борис')
  await boris.presses('Начать')
  await boris.page.getByRole('heading', { name: 'Сервер не принимает новые аккаунты' }).waitFor()
  await tours[1].looksAt('registration-closed-ru')
  for (const tour of tours) tour.assertSound()
})
