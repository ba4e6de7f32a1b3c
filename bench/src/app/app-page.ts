// A tab of the app, measured from inside: times are those of its own clock since its navigation began.
import type { BrowserContext, Page } from 'playwright-core'
import { type Asked, echoInPage, giveName, type Mark, markSights, type PageEcho, sights } from './in-page.ts'

export class AppPage {
  readonly page: Page

  private constructor(page: Page) {
    this.page = page
  }

  static async open(context: BrowserContext, url: string): Promise<AppPage> {
    return await AppPage.visit(await context.newPage(), url)
  }

  static async visit(page: Page, url: string): Promise<AppPage> {
    await page.addInitScript(markSights, sights)
    await page.goto(url)
    return new AppPage(page)
  }

  /** The time of the first sight. */
  async markMs(name: Mark): Promise<number> {
    await this.page.waitForFunction(mark => performance.getEntriesByName(mark).length > 0, name)
    return await this.page.evaluate(mark => performance.getEntriesByName(mark)[0]?.startTime ?? Number.NaN, name)
  }

  /** The pause between the question and the answer does not count: both parts are measured, the pause is not. */
  async beginMs(name: string): Promise<number> {
    const askedMs = await this.markMs('named')
    await this.page.evaluate(giveName, name)
    const begunMs = await this.markMs('begun')
    const givenMs = await this.page.evaluate(() => performance.getEntriesByName('given')[0]?.startTime ?? Number.NaN)
    return askedMs + begunMs - givenMs
  }

  async echo(asked: Asked): Promise<PageEcho[]> {
    return await this.page.evaluate(echoInPage, asked)
  }

  /**
   * The chat with the bot begins with Start. By the keyboard: the browser searches for the element under a mouse after
   * every change.
   */
  async pressStart(): Promise<void> {
    await this.page.locator('.foot button').press('Enter')
    await this.page.locator('article.row:not(.row-own)').first().waitFor()
  }

  /** In a browser without an account. */
  async restore({ file, words }: { file: string; words: string }): Promise<void> {
    await this.page.locator('.onboarding button', { hasText: 'recovery file' }).click()
    await this.page.locator('input[type=file]').setInputFiles(file)
    await this.page.locator('textarea').fill(words)
    await this.page.getByRole('button', { name: 'Restore' }).click()
    await this.page.locator('.chat-row-item').first().waitFor()
  }

  /** The addresses that the page has requested. */
  async fetched(): Promise<string[]> {
    return await this.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
  }

  async reload(): Promise<void> {
    await this.page.reload()
  }

  /** Resolves when the page can start without a network. */
  async isKept(): Promise<void> {
    await this.page.evaluate(async () => void (await navigator.serviceWorker.ready))
    await this.page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  }

  async close(): Promise<void> {
    await this.page.close()
  }
}
