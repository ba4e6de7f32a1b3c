// Every icon that is loaded by now: those of later screens come with them.
import { icons } from './icons.ts'
import type { lazyIcons } from './lazy-icons.ts'

/** A component that shows a later one imports `with-lazy-icons.ts`. */
export type IconName = keyof typeof icons | keyof typeof lazyIcons

const drawings: Partial<Record<IconName, string>> = { ...icons }

export const drawingOf = (name: IconName): string | undefined => drawings[name]

export function addIcons(more: Partial<Record<IconName, string>>): void {
  Object.assign(drawings, more)
}
