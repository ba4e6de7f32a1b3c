// The screens' interface to the core: views to watch, calls to make, events to receive.
import { type ReadonlySignal, signal, useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { AppCallAnswer, AppCallName, CallAsked } from '../contract/calls.ts'
import type { PushEvent } from '../contract/push-events.ts'
import type { ViewArgs, ViewName, ViewValue } from '../contract/views.ts'
import { CoreLink, type PageLinkState } from './core-link.ts'
import { browserEnvironment } from './environment-browser.ts'
import { SharedViews } from './shared-views.ts'
import { guardWords } from './unstored-words.ts'

const state = signal<PageLinkState>({ core: 'starting', leads: false })
const link = new CoreLink(browserEnvironment, next => {
  state.value = next
})
const views = new SharedViews((name, args, show) => link.watch(name, args, show))

export const linkState: ReadonlySignal<PageLinkState> = state

export function startLink(): void {
  link.start()
  // A suspended page lets the next one lead; restored, it starts again, and repeats unanswered calls.
  addEventListener('pagehide', () => link.stop())
  addEventListener('pageshow', event => {
    if (event.persisted) link.start()
  })
}

/** Takes the core from a page that does not answer. */
export const leadHere = (): void => link.useHere()

/** Calls that a core still has to answer: they are lost with the page. */
export const hasUnanswered = (): boolean => link.hasUnanswered

/** With a `key` if the caller needs to find the outcome under that name; otherwise it gets its own. */
export const call = <Name extends AppCallName>(
  name: Name,
  asked: CallAsked<Name>,
  key?: string,
): Promise<AppCallAnswer<Name>> => guardWords(name, link.call(name, asked, key))

export const watch = <Name extends ViewName>(
  name: Name,
  args: ViewArgs<Name>,
  show: (value: ViewValue<Name>) => void,
): (() => void) => views.watch(name, args, show)

export const onPushEvent = (listener: (tiding: PushEvent) => void): (() => void) => link.onPushEvent(listener)

/** Undefined until the worker has answered. With other arguments the old value stays until the new one comes. */
/** Like `useView`, for a screen that must distinguish a missing value from an unknown one. */
export function useSeenView<Name extends ViewName>(
  name: Name,
  ...args: ViewArgs<Name>
): ReadonlySignal<{ value: ViewValue<Name> } | undefined> {
  const seen = useSignal<{ value: ViewValue<Name> } | undefined>(undefined)
  useLayoutEffect(
    () =>
      views.watch(name, args, value => {
        seen.value = { value }
      }),
    [name, JSON.stringify(args)],
  )
  return seen
}

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
