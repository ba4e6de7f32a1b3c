// The calls and watches of a page: sent again to every new core, under the same keys.
import { Deferred } from '@postern/protocol'
import { type AppCallAnswer, type AppCallName, type CallAsked, CallError } from '../contract/calls.ts'
import type { ToCore, ToPage } from '../contract/messages.ts'
import type { PushEvent } from '../contract/push-events.ts'
import type { ViewArgs, ViewName, ViewValue } from '../contract/views.ts'

type Asked = { key: string; name: string; asked: unknown; answer: Deferred<unknown> }
type Watched = { name: string; args: unknown[]; show: (value: unknown) => void }

export class PendingRequests {
  readonly #post: (message: ToCore) => void
  readonly #newKey: () => string
  readonly #asked = new Map<number, Asked>()
  readonly #watched = new Map<number, Watched>()
  readonly #listeners = new Set<(tiding: PushEvent) => void>()
  #core: string | undefined
  #lastId = 0

  constructor(post: (message: ToCore) => void, newKey: () => string) {
    this.#post = post
    this.#newKey = newKey
  }

  call<Name extends AppCallName>(
    name: Name,
    asked: CallAsked<Name>,
    key: string = this.#newKey(),
  ): Promise<AppCallAnswer<Name>> {
    const id = ++this.#lastId
    const answer = new Deferred<unknown>()
    this.#asked.set(id, { key, name, asked, answer })
    if (this.#core) this.#post({ kind: 'ask', id, key, name, asked })
    return answer.promise as Promise<AppCallAnswer<Name>>
  }

  watch<Name extends ViewName>(name: Name, args: ViewArgs<Name>, show: (value: ViewValue<Name>) => void): () => void {
    const id = ++this.#lastId
    this.#watched.set(id, { name, args, show: show as (value: unknown) => void })
    if (this.#core) this.#post({ kind: 'watch', id, name, args })
    return () => {
      if (this.#watched.delete(id) && this.#core) this.#post({ kind: 'unwatch', id })
    }
  }

  get hasUnanswered(): boolean {
    return this.#asked.size > 0
  }

  onPushEvent(listener: (tiding: PushEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  hear(message: ToPage): void {
    switch (message.kind) {
      case 'ready':
        return this.#begin(message.core)
      case 'views':
        for (const { id, json } of message.views)
          this.#watched.get(id)?.show(json === undefined ? undefined : JSON.parse(json))
        return
      case 'tiding':
        for (const listener of this.#listeners) listener(message.tiding)
        return
      case 'answer':
        return this.#end(message)
      case 'pong':
    }
  }

  /** The core is gone: new calls wait for the next one. */
  lost(): void {
    this.#core = undefined
  }

  /** Another core than before: it does not know the calls and watches. */
  #begin(core: string): void {
    if (core === this.#core) return
    this.#core = core
    for (const [id, { name, args }] of this.#watched) this.#post({ kind: 'watch', id, name, args })
    for (const [id, { key, name, asked }] of this.#asked) this.#post({ kind: 'ask', id, key, name, asked })
  }

  #end(message: Extract<ToPage, { kind: 'answer' }>): void {
    const asked = this.#asked.get(message.id)
    this.#asked.delete(message.id)
    if ('fault' in message) asked?.answer.reject(new CallError(message.fault))
    else asked?.answer.resolve(message.ok)
  }
}
