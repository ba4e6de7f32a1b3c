// A person at the app in a browser: acts and sees as people do, by the names that a screen reader reads out.
import type { BrowserContext, Locator, Page } from 'playwright-core'
import type { WalkingBot } from './walking-bot.ts'

export class AppPerson {
  readonly context: BrowserContext
  readonly page: Page

  constructor(context: BrowserContext, page: Page) {
    this.context = context
    this.page = page
  }

  /** By the link, with a name, until the chat is there. */
  async arrives(link: string, name: string): Promise<void> {
    await this.page.goto(link)
    await this.page.getByRole('textbox', { name: 'Your name' }).fill(name)
    await this.presses(/^Start (a chat with|chat)/)
  }

  /** In the chat with the bot, with a first message. Returns the chat as the bot knows it. */
  async starts(bot: WalkingBot, name: string): Promise<string> {
    await this.arrives(bot.link, name)
    await this.presses('Start')
    const { chat_id } = await bot.next(
      'message',
      ({ message }) => message.from.name === name && message.text === '/start',
    )
    await this.seesSent('/start')
    return chat_id
  }

  /** The service worker has everything for a start without a network. */
  async isKeptForOffline(): Promise<void> {
    await this.page.evaluate(async () => void (await navigator.serviceWorker.ready))
  }

  /** A new account without a link. */
  async begins(origin: string, name: string): Promise<void> {
    await this.page.goto(origin)
    await this.page.getByRole('textbox', { name: 'Your name' }).fill(name)
    await this.presses('Get started')
    await this.page.getByRole('heading', { name: 'No chats yet' }).waitFor()
  }

  get field(): Locator {
    return this.page.getByRole('textbox', { name: 'Message', exact: true })
  }

  async writes(text: string): Promise<void> {
    await this.field.fill(text)
    await this.field.press('Enter')
  }

  /** A message in the open conversation that holds these words. */
  message(words: string | RegExp): Locator {
    return this.page.getByRole('log').getByRole('article').filter({ hasText: words })
  }

  async sees(words: string | RegExp): Promise<Locator> {
    const message = this.message(words)
    await message.first().waitFor()
    return message.first()
  }

  /** A message that the relay has: the screen says so. */
  async seesSent(words: string | RegExp): Promise<void> {
    await this.message(words)
      .filter({ hasText: /Sent|Delivered|Read/ })
      .waitFor()
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: typeof name === 'string' })
  }

  async presses(name: string | RegExp): Promise<void> {
    await this.button(name).click()
  }

  async chooses(name: string): Promise<void> {
    await this.page.getByRole('menuitem', { name }).click()
  }

  /** Picked as from a phone, and sent with its caption. */
  async sendsPhoto({ bytes, name, caption }: { bytes: Uint8Array; name: string; caption: string }): Promise<void> {
    await this.presses('Attach')
    const choosing = this.page.waitForEvent('filechooser')
    await this.chooses('Photo or video')
    await (await choosing).setFiles({ name, mimeType: 'image/png', buffer: Buffer.from(bytes) })
    const dialog = this.dialog('Send this file?')
    await dialog.getByRole('textbox', { name: 'Caption' }).fill(caption)
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  }

  async seesToast(words: string): Promise<void> {
    await this.page.getByRole('status').filter({ hasText: words }).waitFor()
  }

  dialog(name: string | RegExp): Locator {
    return this.page.getByRole('dialog', { name })
  }

  /** The texts of the conversation, in order. */
  async texts(): Promise<string[]> {
    return await this.page.getByRole('log').getByRole('article').allInnerTexts()
  }

  /** From the screen that saves a recovery file, as a person writes them down. They appear a moment after it. */
  async readsSixWords(): Promise<string[]> {
    // The only list on this screen whose items have numbers.
    const words = this.page.locator('ol bdi')
    await words.nth(5).waitFor()
    return await words.allInnerTexts()
  }

  /** The same account in another tab. */
  async opensTab(): Promise<AppPerson> {
    const page = await this.context.newPage()
    const tab = new AppPerson(this.context, page)
    await page.goto(this.page.url())
    return tab
  }

  /** Prints the texts of all tabs, for the log of a run that nobody has watched. */
  async reports(): Promise<void> {
    for (const page of this.context.pages()) {
      const shown = await page.evaluate(() => document.body.innerText).catch(String)
      console.warn(`${page.url()} showed:\n${shown.slice(0, 2_000)}`)
    }
  }
}
