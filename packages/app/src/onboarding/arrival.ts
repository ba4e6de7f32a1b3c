// The link by which somebody came: read from the address, and at once taken out of it. A token has no place in a history.
import { type ReadonlySignal, signal } from '@preact/signals'
import { closeAllAbove } from '../router.ts'

/** `invite` opens a chat, `move` brings an account from another device. */
export type Arrival = { kind: 'invite' | 'move'; link: string }

/** In memory alone: what a browser keeps for a tab it also writes to its disk. */
const held = signal<Arrival | undefined>(undefined)

export const arrival: ReadonlySignal<Arrival | undefined> = held

export function arrivalOf(address: string): Arrival | undefined {
  const [, fragment = ''] = address.split(/#(.*)/s)
  if (fragment.startsWith('i/')) return { kind: 'invite', link: address }
  return fragment.startsWith('m/') ? { kind: 'move', link: address } : undefined
}

export const arriveBy = (arrived: Arrival): void => {
  held.value = arrived
}

export const forgetArrival = (): void => {
  held.value = undefined
}

/** Whether the address was a link; then it is none any more. */
export function readArrival(): void {
  const arrived = arrivalOf(location.href)
  if (!arrived) return
  closeAllAbove()
  held.value = arrived
  history.replaceState(history.state, '', location.pathname + location.search)
}

/** Before the page loads itself anew: the next one reads it again. */
export function putArrivalBack(): void {
  if (held.value) history.replaceState(history.state, '', held.value.link.slice(held.value.link.indexOf('#')))
}
