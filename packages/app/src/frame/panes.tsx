// The open app: the list next to the conversation if both fit, otherwise one after the other.
import type { VNode } from 'preact'
import { ChatListPane } from '../chat-list/chat-list-pane.tsx'
import { Logo } from '../parts/icons/logo.tsx'
import { route } from '../router.ts'
import './panes.css'
import { panesFor } from './pane-plan.ts'
import { room } from './room.ts'
import { screenOf } from './screens.tsx'
import { Strips } from './strips.tsx'
import { hasTwoPanes } from './widths.ts'
import { frameWords } from './words.ts'

export function Panes(): VNode {
  const w = frameWords.value
  const { main, info } = panesFor(route.value, room.value)
  return (
    <div class="panes">
      <Strips />
      <div class={info ? 'panes-row panes-row-three' : 'panes-row'}>
        <nav class="panes-list" aria-label={w.panes.list} hidden={!hasTwoPanes.value && main !== undefined}>
          <ChatListPane />
        </nav>
        {(main !== undefined || hasTwoPanes.value) && (
          <section class="panes-main" aria-label={main?.screen === 'chat' ? w.panes.main : undefined}>
            {(main && screenOf(main)) ?? <NoChat />}
          </section>
        )}
        {info && (
          <section class="panes-info" aria-label={w.panes.info}>
            {screenOf(info)}
          </section>
        )}
      </div>
    </div>
  )
}

const NoChat = (): VNode => (
  <div class="panes-none">
    <Logo size={48} />
    <p>{frameWords.value.noChat}</p>
  </div>
)
