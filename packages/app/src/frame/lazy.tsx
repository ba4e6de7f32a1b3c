// A screen that is not needed at the start: its code is fetched when it is first shown.
import { signal } from '@preact/signals'
import type { ComponentType, FunctionComponent, VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { CallError } from '../contract/calls.ts'
import { reloadPage } from '../link/reload.ts'
import { askUntilAnswered } from '../parts/ask-until.ts'
import { Button } from '../parts/fields/button.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { frameWords } from './words.ts'

type Loaded<Props> = { kind: 'waiting' } | { kind: 'here'; screen: ComponentType<Props> } | { kind: 'failed' }

/** `fetch` starts before it is shown. It never rejects: a shown screen retries, and says so. */
type LazyScreen<Props> = FunctionComponent<Props> & { fetch: () => Promise<void> }

export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyScreen<Props> {
  const loaded = signal<Loaded<Props>>({ kind: 'waiting' })
  const fetchIt = async (): Promise<void> => {
    if (loaded.value.kind === 'here') return
    try {
      loaded.value = { kind: 'here', screen: await load() }
    } catch {
      loaded.value = { kind: 'failed' }
    }
  }
  /** Retried while somebody waits for the screen. */
  const fetchOrThrow = async (): Promise<void> => {
    await fetchIt()
    if (loaded.peek().kind === 'failed') throw new CallError({ code: 'relay-unreachable', message: '' })
  }
  /** Still missing: the files of this build may be gone from the server, and the page must be reloaded. */
  const again = async (): Promise<void> => {
    await fetchIt()
    if (loaded.peek().kind === 'failed') reloadPage()
  }
  const Lazy = (props: Props): VNode => {
    useEffect(() => askUntilAnswered(fetchOrThrow), [])
    if (loaded.value.kind === 'here') return <loaded.value.screen {...props} />
    return loaded.value.kind === 'waiting' ? <Page>{null}</Page> : <NotLoaded again={again} />
  }
  return Object.assign(Lazy, { fetch: fetchIt })
}

const NotLoaded = ({ again }: { again: () => Promise<void> }): VNode => (
  <Page align="middle">
    <PageText>{frameWords.value.notLoaded}</PageText>
    <Button kind="plain" onClick={again}>
      {frameWords.value.again}
    </Button>
  </Page>
)
