// How many panes fit.
import { type ReadonlySignal, signal } from '@preact/signals'

function followWidth(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query)
  const matches = signal(list.matches)
  list.addEventListener('change', () => {
    matches.value = list.matches
  })
  return matches
}

export const hasTwoPanes = followWidth('(min-width: 720px)')
export const hasThreePanes = followWidth('(min-width: 1180px)')
