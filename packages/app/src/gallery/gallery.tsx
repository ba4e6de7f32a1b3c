// The gallery of a chat: its photos and videos, files, voice messages and links.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { MediaKind } from '../contract/views.ts'
import { moveInGrid } from '../parts/menus/roving.ts'
import { Page } from '../parts/page.tsx'
import './gallery.css'
import { GalleryPages } from './gallery-pages.tsx'
import { galleryWords } from './words.ts'

const kinds: readonly MediaKind[] = ['seen', 'files', 'voices', 'links']

export function Gallery({ chat }: { chat: string }): VNode {
  const kind = useSignal<MediaKind>('seen')
  const w = galleryWords.value
  return (
    <Page title={w.title}>
      <div class="gallery">
        <div
          class="gallery-tabs"
          role="tablist"
          aria-label={w.title}
          onKeyDown={event => moveInGrid(event.currentTarget, event)}
        >
          {kinds.map(one => (
            <button
              key={one}
              class="gallery-tab"
              type="button"
              role="tab"
              tabIndex={one === kind.value ? 0 : -1}
              aria-selected={one === kind.value}
              onClick={() => void (kind.value = one)}
            >
              {w.kinds[one]}
            </button>
          ))}
        </div>
        <GalleryPages key={kind.value} chat={chat} kind={kind.value} />
      </div>
    </Page>
  )
}
