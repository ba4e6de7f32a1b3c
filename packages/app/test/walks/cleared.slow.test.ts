// A browser that has cleared its data, or stores nothing: the app shows the reason and the remedy.
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { originOf, test } from './walk-test.ts'

/** As a browser does that needs the space: the files go, and the key stays. */
async function clearsFiles({ page }: AppPerson, origin: string): Promise<void> {
  // A page of the origin on which no core runs.
  await page.goto(`${origin}/licences.txt`)
  await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory()
    const remove = async (): Promise<boolean> =>
      root.removeEntry('account', { recursive: true }).then(
        () => true,
        () => false,
      )
    // The worker of the previous page holds its files for a moment longer.
    while (!(await remove())) await new Promise(resolve => setTimeout(resolve, 50))
  })
}

test('[APP-14.33] An account that the browser has cleared is explained, with the ways to restore it', async ({
  world,
  bot,
  alice: { person: alice, faults },
}) => {
  const { page } = alice
  await alice.starts(bot, 'Alice')
  await page.evaluate(() => void (location.hash = '#settings/keep-account'))
  await alice.presses('Save a recovery file')
  const words = await alice.readsSixWords()
  await page.getByRole('switch', { name: 'I wrote them down' }).click()
  const downloading = page.waitForEvent('download')
  await alice.presses('Save recovery file')
  const bytes = Buffer.concat(await Array.fromAsync(await (await downloading).createReadStream()))

  faults.expected = /the account could not be opened|favicon/
  await clearsFiles(alice, originOf(world))
  await page.goto(originOf(world))
  await page.getByRole('heading', { name: 'Your browser cleared your account' }).waitFor()
  await alice.button('Erase everything and start over').waitFor()
  await alice.presses('Move from another device')
  await page.getByRole('textbox', { name: 'Code from the other device' }).waitFor()
  await alice.presses('Back')
  await alice.presses('Restore my account')
  const choosing = page.waitForEvent('filechooser')
  await alice.presses('Choose file')
  await (await choosing).setFiles({ name: 'recovery', mimeType: 'application/octet-stream', buffer: bytes })
  await page.getByRole('textbox', { name: 'Six words' }).fill(words.join(' '))
  await alice.presses('Restore')
  await page.getByRole('listitem').getByRole('link', { name: 'Harbour' }).waitFor()
})

test('[APP-14.33] A browser in which nobody lived yet says Welcome, also when it is cleared', async ({
  world,
  alice: { person: alice, faults },
}) => {
  const { page } = alice
  faults.expected = /favicon/
  await page.goto(originOf(world))
  await page.getByRole('heading', { name: 'Welcome to Postern' }).waitFor()
  // The form is there before the core, which makes the folder that is cleared.
  await page.waitForFunction(() => localStorage.getItem('postern-account') === 'none')
  await clearsFiles(alice, originOf(world))
  await page.goto(originOf(world))
  await page.getByRole('heading', { name: 'Welcome to Postern' }).waitFor()
})

test('[APP-14.34] A browser that lets the page keep nothing is named, and works again when it does', async ({
  world,
  openApp,
}) => {
  const { person: alice, faults } = await openApp({ serviceWorkers: 'block' })
  faults.expected = /the account could not be opened|the app is not kept/
  const { page } = alice
  // As with blocked site data: only the worker can detect it.
  const refused = `navigator.storage.getDirectory = () => Promise.reject(new DOMException('denied', 'SecurityError'));`
  await page.route('**/assets/main-*.js', async route => {
    const response = await route.fetch()
    await route.fulfill({ response, body: refused + (await response.text()) })
  })
  await page.goto(originOf(world))
  await page.getByRole('heading', { name: 'Your browser does not let Postern store data' }).waitFor()
  await page.unroute('**/assets/main-*.js')
  await alice.presses('Reload')
  await page.getByRole('heading', { name: 'Welcome to Postern' }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Your name' }).count()).toBe(1)
})
