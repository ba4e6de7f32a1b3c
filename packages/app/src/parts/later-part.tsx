// A part of a screen whose code is fetched when the page rests, or when it is first shown.
import { signal } from '@preact/signals'
import type { ComponentType, FunctionComponent, VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { begin } from './attempt.ts'
import { later } from './later.ts'

/** Nothing is seen until it is here. */
export function laterPart<Props extends object>(load: () => Promise<ComponentType<Props>>): FunctionComponent<Props> {
  const here = signal<{ part: ComponentType<Props> } | undefined>(undefined)
  const get = later(async () => {
    here.value = { part: await load() }
  })
  return (props: Props): VNode | null => {
    useEffect(() => {
      if (!here.peek()) begin(get())
    }, [])
    return here.value ? <here.value.part {...props} /> : null
  }
}
