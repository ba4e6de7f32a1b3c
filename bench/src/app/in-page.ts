// Code that runs inside the page, without access to this file: when something is first visible, and how long an echo takes.

/** The app's screens on the way to a conversation, by the mark that is set when each is first visible. */
export const sights = {
  named: '.onboarding input',
  begun: '.bot-start',
  messages: 'article.row',
} as const

/** Two are not visible, but reported by the worker: that it knows whether there is an account, and that it is online. */
export type Mark = keyof typeof sights | 'settled' | 'online'

/** Runs before the page's own scripts. Each mark is a time since the navigation began. */
export function markSights(wanted: Readonly<Record<string, string>>): void {
  const left = new Map(Object.entries(wanted))
  const look = () => {
    for (const [name, selector] of left)
      if (document.querySelector(selector)) {
        performance.mark(name)
        left.delete(name)
      }
    if (left.size === 0) observer.disconnect()
  }
  const observer = new MutationObserver(look)
  observer.observe(document, { childList: true, subtree: true })
  type Told = { views?: { json: string }[] }
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options)
      this.addEventListener('message', ({ data }: MessageEvent<Told>) => {
        const mark = (name: string, isSaid: (json: string) => boolean) => {
          const isNow = data.views?.some(({ json }) => isSaid(json))
          if (isNow && performance.getEntriesByName(name).length === 0) performance.mark(name)
        }
        mark('online', json => json === '"online"')
        mark('settled', json => /^\{"kind":"(no-account|open)"/.test(json ?? ''))
      })
    }
  }
}

/** Like instant typing: the form receives the text a frame later. */
export async function giveName(name: string): Promise<void> {
  const field = document.querySelector<HTMLInputElement>('.onboarding input')
  if (!field) throw new Error('nobody asks for a name')
  performance.mark('given')
  field.value = name
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  await new Promise(requestAnimationFrame)
  field.form?.requestSubmit()
}

export type Asked = { label: string; count: number }

/** Since Enter: until the sent text is shown, until the relay has it, until the answer is shown. */
export type PageEcho = { shownMs: number; sentMs: number; backMs: number }

/** One after the other, through the field and its key. */
export async function echoInPage({ label, count }: Asked): Promise<PageEcho[]> {
  const field = document.querySelector<HTMLTextAreaElement>('.field-text')
  const list = document.querySelector('.window-rows')
  if (!field || !list) throw new Error('no conversation is open')
  // Only added nodes are checked: searching all rows took a tenth of the measured time.
  const added = (records: MutationRecord[], text: string): Element[] =>
    records
      .flatMap(({ addedNodes }) => [...addedNodes])
      .filter(node => node instanceof Element && node.textContent?.includes(text)) as Element[]
  const see = async (text: string, startedMs: number): Promise<PageEcho> => {
    const seen: Partial<PageEcho> = {}
    const { promise, resolve } = Promise.withResolvers<void>()
    const observer = new MutationObserver(records => {
      const nowMs = performance.now() - startedMs
      for (const row of added(records, text)) {
        if (row.matches('.row-own')) seen.shownMs ??= nowMs
        if (row.matches('article.row-own')) seen.sentMs ??= nowMs
        if (row.matches('article.row:not(.row-own)')) seen.backMs ??= nowMs
      }
      if (seen.backMs !== undefined) resolve()
    })
    observer.observe(list, { childList: true, subtree: true })
    await promise
    observer.disconnect()
    return { shownMs: Number.NaN, sentMs: Number.NaN, backMs: Number.NaN, ...seen }
  }
  const echoes: PageEcho[] = []
  for (let at = 0; at < count; at++) {
    const text = `${label} ${at}: a text of about a hundred bytes, as people write them to a bot every day, and back`
    const startedMs = performance.now()
    const seen = see(text, startedMs)
    field.value = text
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
    echoes.push(await seen)
  }
  return echoes
}
