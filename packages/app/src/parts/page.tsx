// A screen that is not a conversation: a bar on top, a scrolling column, and actions at the foot.
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Bar, BarTitle } from './bar.tsx'
import './page.css'

type PageProps = {
  /** In a bar with a back button. */
  title?: string
  onBack?: () => void
  /** In place of a title. */
  bar?: ComponentChildren
  foot?: ComponentChildren
  /** `middle`: for a screen with a single message. */
  align?: 'top' | 'middle'
  children: ComponentChildren
}

export function Page({ title, onBack, bar, foot, align = 'top', children }: PageProps): VNode {
  const page = useRef<HTMLElement>(null)
  useEffect(() => keepFocus(page.current), [])
  return (
    <section ref={page} class="page">
      {bar}
      {title !== undefined && (
        <Bar onBack={onBack}>
          <BarTitle name={title} />
        </Bar>
      )}
      <div class="page-body">
        <div class={align === 'middle' ? 'page-column page-column-middle' : 'page-column'}>{children}</div>
      </div>
      {foot && (
        <footer class="page-foot">
          <div class="page-foot-column">{foot}</div>
        </footer>
      )}
    </section>
  )
}

/** The focus is lost with the previous screen: the keyboard continues at the back button, not at the top of everything. */
function keepFocus(page: HTMLElement | null): void {
  if (document.activeElement !== document.body) return
  page?.querySelector<HTMLElement>('.bar button')?.focus({ preventScroll: true })
}

export const PageText = ({ children }: { children: ComponentChildren }): VNode => <p class="page-text">{children}</p>

export const PageSection = ({ title }: { title: string }): VNode => <h2 class="page-section">{title}</h2>
