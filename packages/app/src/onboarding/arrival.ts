// The invite link by which a person came. It leaves the address as soon as it is read: a secret must not stay in a history.
import { type ReadonlySignal, signal } from '@preact/signals'
import { closeAllAbove } from '../router.ts'

/**
 * `agreed`: the person has pressed the button that says who will learn what. Before that a link does nothing. `press`:
 * the press. However often the page is loaded again before the chat is open, it sends once.
 */
export type Arrival = { link: string; agreed: false } | { link: string; agreed: true; press: string }

/** For this tab alone, and only until the link was used or dismissed: a reloaded page finds it here. */
const SHELF = 'postern-arrival'
/** Prefix of a stored link, with the press between a pair of them. */
const AGREED = '+'
const NOT_YET = '-'

const held = signal<Arrival | undefined>(undefined)

export const arrival: ReadonlySignal<Arrival | undefined> = held

export function arrivalOf(address: string): Arrival | undefined {
  const [, fragment = ''] = address.split(/#(.*)/s)
  return /^[ig]\//.test(fragment) ? { link: address, agreed: false } : undefined
}

/** To a group, in which the person asks for a place. */
export const isToGroup = (link: string): boolean => link.includes('#g/')

export function arriveBy(arrived: Arrival): void {
  held.value = arrived
  sessionStorage.setItem(SHELF, (arrived.agreed ? AGREED + arrived.press + AGREED : NOT_YET) + arrived.link)
}

/** The person has pressed, and knows who learns what. */
export function agree(): void {
  if (held.value) arriveBy({ link: held.value.link, agreed: true, press: crypto.randomUUID() })
}

/** The account is another one than the person agreed to show. */
export function askAgain(): void {
  if (held.value) arriveBy({ link: held.value.link, agreed: false })
}

export function forgetArrival(): void {
  held.value = undefined
  sessionStorage.removeItem(SHELF)
}

/** Reads the link in the address, if there is one, and removes it. */
export function readArrival(): void {
  const arrived = arrivalOf(location.href)
  // Earlier versions moved an account by a link: it has no effect any more, and its secret does not stay here either.
  const isOldMove = location.hash.startsWith('#m/')
  if (!arrived && !isOldMove) return
  closeAllAbove()
  if (arrived) arriveBy(arrived)
  history.replaceState(history.state, '', location.pathname + location.search)
}

/** The unfinished link from before a reload. A person who comes by another address has abandoned it. */
export function resumeArrival(): void {
  readArrival()
  if (held.value) return
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (visit?.type === 'navigate') forgetArrival()
  else held.value = storedArrival()
}

function storedArrival(): Arrival | undefined {
  const stored = sessionStorage.getItem(SHELF) ?? ''
  const press = /^\+([\w-]+)\+/.exec(stored)?.[1]
  const arrived = arrivalOf(stored.slice(press === undefined ? 1 : press.length + 2))
  return arrived && press !== undefined ? { link: arrived.link, agreed: true, press } : arrived
}
