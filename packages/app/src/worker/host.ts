// The worker as pages know it: it answers their calls, and sends them their watched views as long as they change.
import { appLimits, guarded, inBackground, type Log, logFault, type Timer } from '@postern/protocol'
import type { SeenView, ToCore, ToPage } from '../contract/messages.ts'
import type { PushEvent } from '../contract/push-events.ts'
import { AccountLifecycle } from './account/account-lifecycle.ts'
import { AppError, faultOf } from './app-error.ts'
import type { PageSight, Worker } from './calls/answering.ts'
import { answer } from './calls/calls.ts'
import type { WorkerPlatform } from './platform.ts'
import { AppSettings } from './settings.ts'
import type { WorkerTopic } from './topics.ts'
import { isViewName, lookingAt, type ViewReading } from './views/views.ts'

export type Post = (message: ToPage) => void

type Watched = ViewReading & {
  id: number
  name: string
  last: SeenView | undefined
  /** For a resting view: until when, in elapsed time, and the timer that ends it when something has changed meanwhile. */
  restsUntilMs: number
  wakes?: Timer | undefined
}
type KnownPage = { post: Post; watches: Map<number, Watched>; sight: PageSight }

export class Host {
  readonly home: AccountLifecycle
  readonly #worker: Worker
  readonly #pages = new Map<string, KnownPage>()
  /** Calls in flight, by key: a repeat meanwhile gets the same answer. */
  readonly #calls = new Map<string, Promise<unknown>>()
  readonly #touched = new Set<WorkerTopic>()
  /** Whether touched views are read after this turn, or a moment later. */
  #isDue = false
  #isDueLater = false

  constructor(platform: WorkerPlatform) {
    const touch = (...topics: WorkerTopic[]) => this.#touch(topics)
    const settings = new AppSettings(touch)
    const tell = (tiding: PushEvent) => this.#tell(tiding)
    const touchCalmly = (...topics: WorkerTopic[]) => this.#touchCalmly(topics)
    this.home = new AccountLifecycle({
      platform,
      settings,
      touch,
      touchCalmly,
      tell,
      isSeen: chat => this.#isSeen(chat),
    })
    this.#worker = { platform, settings, home: this.home }
  }

  /** A page that connects again under its name is the same page, and has to send its watches again. */
  connect(name: string, post: Post): void {
    this.#pages.delete(name)
    this.#pages.set(name, { post, watches: new Map(), sight: { focused: false } })
    const [oldest] = this.#pages.keys()
    if (this.#pages.size > appLimits.pagesMax && oldest !== undefined) this.#pages.delete(oldest)
  }

  isConnected(name: string): boolean {
    return this.#pages.has(name)
  }

  leave(name: string): void {
    this.#pages.delete(name)
  }

  take(name: string, message: ToCore): void {
    const page = this.#pages.get(name)
    if (!page) return
    // Moved to the end: the page that was silent the longest is first.
    this.#pages.delete(name)
    this.#pages.set(name, page)
    switch (message.kind) {
      case 'ping':
        return page.post({ kind: 'pong', id: message.id })
      case 'bye':
        return this.leave(name)
      case 'unwatch':
        return void page.watches.delete(message.id)
      case 'watch':
        return this.#watch(page, message)
      case 'ask':
        return this.#ask(page, message)
    }
  }

  #watch(page: KnownPage, { id, name, args }: Extract<ToCore, { kind: 'watch' }>): void {
    // A page that forgets to unwatch must not slow down every commit.
    if (page.watches.size >= appLimits.watchesPerPageMax && !page.watches.has(id))
      return this.#log.warn({ name }, 'a page watches too many views: one more is not shown')
    if (!isViewName(name)) return this.#log.warn({ name }, 'a page watches a view that there is not')
    const begin = () => {
      const watched: Watched = { ...lookingAt(name, args as never), id, name, last: undefined, restsUntilMs: 0 }
      page.watches.set(id, watched)
      const seen = this.#look(watched)
      if (seen) page.post({ kind: 'views', views: [seen] })
    }
    guarded(begin, { what: 'a view cannot be watched', log: this.#log })()
  }

  #ask(page: KnownPage, { id, key, name, asked }: Extract<ToCore, { kind: 'ask' }>): void {
    const answered = this.#answerOnce({ key, name, asked, page }).then(
      ok => {
        // First its changes: an answered page need not remember its call.
        this.#lookAgain()
        page.post({ kind: 'answer', id, ok })
      },
      (error: unknown) => this.#refuse(page, { id, name, error }),
    )
    inBackground(answered, { what: 'a page was not answered', log: this.#log })
  }

  #refuse(page: KnownPage, { id, name, error }: { id: number; name: string; error: unknown }): void {
    const fault = faultOf(error)
    if (fault.code === 'internal') logFault(error, { what: `the call ${name} failed`, log: this.#log })
    page.post({ kind: 'answer', id, fault })
  }

  #answerOnce({
    key,
    name,
    asked,
    page,
  }: {
    key: string
    name: string
    asked: unknown
    page: KnownPage
  }): Promise<unknown> {
    const earlier = this.#calls.get(key)
    if (earlier) return earlier
    if (this.#calls.size >= appLimits.callsInFlightMax) return Promise.reject(new AppError('too-many-calls'))
    const look = (sight: PageSight) => {
      page.sight = sight
    }
    const answering = answer(this.#worker, name, { value: asked, key, look }).finally(() => this.#calls.delete(key))
    this.#calls.set(key, answering)
    return answering
  }

  /** At the end of the turn, once for everything that was touched in it. */
  #touch(topics: readonly WorkerTopic[]): void {
    for (const topic of topics) this.#touched.add(topic)
    if (this.#isDue) return
    this.#isDue = true
    this.#worker.platform.defer(() => {
      this.#isDue = false
      this.#lookAgain()
    })
  }

  /** A moment later, or with an earlier reading: each rendering of a page costs more than its changes. */
  #touchCalmly(topics: readonly WorkerTopic[]): void {
    for (const topic of topics) this.#touched.add(topic)
    if (this.#isDue || this.#isDueLater) return
    this.#isDueLater = true
    this.#worker.platform.later(() => {
      this.#isDueLater = false
      this.#lookAgain()
    })
  }

  /** All of a page's views together: a message enters the history in the moment in which it leaves the queue. */
  #lookAgain(): void {
    const touched = new Set(this.#touched)
    if (touched.size === 0) return
    this.#touched.clear()
    for (const page of this.#pages.values()) {
      const changed = [...page.watches.values()]
        .filter(({ topics }) => topics.some(topic => touched.has(topic)))
        .filter(watched => !this.#rests(page, watched))
        .flatMap(watched => this.#look(watched) ?? [])
      if (changed.length > 0) guarded(() => page.post({ kind: 'views', views: changed }), this.#posting)()
    }
  }

  /** The first change is shown immediately; those soon after it together. */
  #rests(page: KnownPage, watched: Watched): boolean {
    if (watched.restMs === 0) return false
    const { clock } = this.#worker.platform
    const nowMs = clock.monotonicMs()
    const leftMs = watched.restsUntilMs - nowMs
    if (leftMs > 0) watched.wakes ??= clock.setTimer(leftMs, () => this.#wake(page, watched))
    else watched.restsUntilMs = nowMs + watched.restMs
    return leftMs > 0
  }

  #wake(page: KnownPage, watched: Watched): void {
    watched.wakes = undefined
    if (page.watches.get(watched.id) !== watched) return
    watched.restsUntilMs = this.#worker.platform.clock.monotonicMs() + watched.restMs
    const seen = this.#look(watched)
    if (seen) guarded(() => page.post({ kind: 'views', views: [seen] }), this.#posting)()
  }

  /** Undefined when it is unchanged, or cannot be read: then the page's value stays. */
  #look(watched: Watched): SeenView | undefined {
    try {
      const seen = watched.look(this.#worker)
      if (!seen) return undefined
      const json: string | undefined = JSON.stringify(seen.value)
      if (watched.last && json === watched.last.json) return undefined
      watched.last = { id: watched.id, json }
      return watched.last
    } catch (error) {
      logFault(error, { what: `the view ${watched.name} could not be read`, log: this.#log })
      return undefined
    }
  }

  #tell(tiding: PushEvent): void {
    for (const page of this.#pages.values()) guarded(() => page.post({ kind: 'tiding', tiding }), this.#posting)()
  }

  #isSeen(chat: string): boolean {
    return [...this.#pages.values()].some(({ sight }) => sight.focused && sight.chat === chat)
  }

  get #log(): Log {
    return this.#worker.platform.log
  }

  get #posting(): { what: string; log: Log } {
    return { what: 'a page could not be told', log: this.#log }
  }
}
