// One watch for all components that show the same view; a later one immediately gets the current value.
import type { ViewArgs, ViewName, ViewValue } from '../contract/views.ts'

type Show = (value: unknown) => void
type Shared = { shows: Set<Show>; last: { value: unknown } | undefined; stop: () => void }
type WatchView = <Name extends ViewName>(
  name: Name,
  args: ViewArgs<Name>,
  show: (value: ViewValue<Name>) => void,
) => () => void

export class SharedViews {
  readonly #watch: WatchView
  readonly #shared = new Map<string, Shared>()

  constructor(watch: WatchView) {
    this.#watch = watch
  }

  /** The known value, so that the first rendering of a screen is not empty. */
  known<Name extends ViewName>(name: Name, args: ViewArgs<Name>): ViewValue<Name> | undefined {
    return this.#shared.get(JSON.stringify([name, args]))?.last?.value as ViewValue<Name> | undefined
  }

  watch<Name extends ViewName>(name: Name, args: ViewArgs<Name>, show: (value: ViewValue<Name>) => void): () => void {
    const key = JSON.stringify([name, args])
    const shared = this.#shared.get(key) ?? this.#begin(key, name, args)
    const own: Show = value => show(value as ViewValue<Name>)
    shared.shows.add(own)
    if (shared.last) own(shared.last.value)
    return () => {
      if (!shared.shows.delete(own) || shared.shows.size > 0) return
      this.#shared.delete(key)
      shared.stop()
    }
  }

  #begin<Name extends ViewName>(key: string, name: Name, args: ViewArgs<Name>): Shared {
    const shared: Shared = { shows: new Set(), last: undefined, stop: () => undefined }
    this.#shared.set(key, shared)
    shared.stop = this.#watch(name, args, value => {
      shared.last = { value }
      for (const show of shared.shows) show(value)
    })
    return shared
  }
}
