// A part of a screen whose code is fetched when the page is idle, or when it is first shown.
import { signal } from '@preact/signals'
import type { ComponentType, FunctionComponent, VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { askUntilAnswered } from './ask-until.ts'
import { lazyImport } from './lazy-import.ts'

/** Nothing is visible until it is loaded. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): FunctionComponent<Props> {
  const here = signal<{ part: ComponentType<Props> } | undefined>(undefined)
  const get = lazyImport(async () => {
    here.value = { part: await load() }
  })
  return (props: Props): VNode | null => {
    useEffect(() => (here.peek() ? undefined : askUntilAnswered(get)), [])
    return here.value ? <here.value.part {...props} /> : null
  }
}
