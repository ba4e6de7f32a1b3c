// The list of rows in the document.
import type { ScrolledList } from './scroll-keeper.ts'

export const scrolledList = (list: HTMLElement): ScrolledList => ({
  get scrollTop() {
    return list.scrollTop
  },
  set scrollTop(px) {
    list.scrollTop = px
  },
  get scrollHeight() {
    return list.scrollHeight
  },
  get clientHeight() {
    return list.clientHeight
  },
  box: () => list.getBoundingClientRect(),
  rows: () =>
    [...list.querySelectorAll<HTMLElement>('[data-id]')].map(row => ({
      get id() {
        return row.dataset['id'] ?? ''
      },
      box: () => row.getBoundingClientRect(),
      show: block => row.scrollIntoView({ block }),
    })),
})

/** A sticky day whose first row has gone is shown only while somebody scrolls. */
export function markStuckDays(list: HTMLElement): void {
  const { top } = list.getBoundingClientRect()
  for (const day of list.querySelectorAll('section'))
    day.toggleAttribute('data-stuck', day.getBoundingClientRect().top < top)
}
