// What screens use of the core: views to watch, calls to make, tidings to hear.
import { type ReadonlySignal, signal, useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { CallAnswer, CallAsked, CallName } from '../contract/calls.ts'
import type { Tiding } from '../contract/tidings.ts'
import type { ViewArgs, ViewName, ViewValue } from '../contract/views.ts'
import { browserSurroundings } from './browser-surroundings.ts'
import { CoreLink, type LinkState } from './core-link.ts'
import { SharedViews } from './shared-views.ts'

const state = signal<LinkState>({ core: 'starting', leads: false })
const link = new CoreLink(browserSurroundings, next => {
  state.value = next
})
const views = new SharedViews((name, args, show) => link.watch(name, args, show))

export const linkState: ReadonlySignal<LinkState> = state

export function startLink(): void {
  link.start()
  // A page that is put aside lets the next one lead; brought back it begins anew, and asks again what was not answered.
  addEventListener('pagehide', () => link.stop())
  addEventListener('pageshow', event => {
    if (event.persisted) link.start()
  })
}

/** Takes the core from a page that does not answer. */
export const leadHere = (): void => link.useHere()

/** With a `key` by whoever has to know what comes of it under that name; else it gets one of its own. */
export const call = <Name extends CallName>(
  name: Name,
  asked: CallAsked<Name>,
  key?: string,
): Promise<CallAnswer<Name>> => link.call(name, asked, key)

export const watch = <Name extends ViewName>(
  name: Name,
  args: ViewArgs<Name>,
  show: (value: ViewValue<Name>) => void,
): (() => void) => views.watch(name, args, show)

export const onTiding = (listener: (tiding: Tiding) => void): (() => void) => link.onTiding(listener)

/** Undefined until the worker has answered. Other arguments keep the old value until the new one comes. */
export function useView<Name extends ViewName>(
  name: Name,
  ...args: ViewArgs<Name>
): ReadonlySignal<ViewValue<Name> | undefined> {
  const value = useSignal<ViewValue<Name> | undefined>(views.known(name, args))
  useLayoutEffect(
    () =>
      views.watch(name, args, seen => {
        value.value = seen
      }),
    [name, JSON.stringify(args)],
  )
  return value
}
