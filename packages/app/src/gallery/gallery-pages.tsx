// The pages of a gallery. Only those near the visible part are read and drawn: a chat may have 20,000 photos.
import { useSignal } from '@preact/signals'
import type { RefObject, VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { MediaKind } from '../contract/views.ts'
import { useView } from '../link/link.ts'
import { GalleryItem } from './gallery-item.tsx'
import { firstSpans, GALLERY_PAGE, type GallerySpan, spansAfter } from './gallery-spans.ts'
import { galleryWords } from './words.ts'

/** A page that has an end shows new messages, too. */
const CLOSED_PAGE_MAX = 500
/** Read before it is visible. */
const NEAR_PX = 800

type GalleryPagesProps = { chat: string; kind: MediaKind }

export function GalleryPages({ chat, kind }: GalleryPagesProps): VNode {
  const spans = useSignal(firstSpans)
  return (
    <div role="tabpanel">
      {spans.value.map((span, at) => (
        <GalleryPage
          key={span.before ?? 0}
          chat={chat}
          kind={kind}
          span={span}
          isOnly={spans.value.length === 1}
          onRead={times => {
            if (at === spans.value.length - 1) spans.value = spansAfter(spans.value, times)
          }}
        />
      ))}
    </div>
  )
}

type PageProps = GalleryPagesProps & { span: GallerySpan; isOnly: boolean; onRead: (times: number[]) => void }

/** A page that is far away keeps its height. */
function GalleryPage(props: PageProps): VNode {
  const box = useRef<HTMLDivElement>(null)
  const heightPx = useSignal(0)
  const isNear = useNearness(box)
  useLayoutEffect(() => {
    const height = box.current?.querySelector('.gallery-page')?.clientHeight ?? 0
    if (height > 0) heightPx.value = height
  })
  return (
    <div ref={box}>
      {isNear ? <PageItems {...props} keptPx={heightPx.value} /> : <Kept heightPx={heightPx.value} />}
    </div>
  )
}

function PageItems({ chat, kind, span, isOnly, onRead, keptPx }: PageProps & { keptPx: number }): VNode {
  const limit = span.from === undefined ? GALLERY_PAGE : CLOSED_PAGE_MAX
  const messages = useView('media', chat, kind, span, limit).value
  useEffect(() => {
    if (messages) onRead(messages.map(({ ts }) => ts))
  }, [messages])
  if (!messages) return <Kept heightPx={keptPx} />
  if (messages.length === 0 && isOnly) return <p class="gallery-none">{galleryWords.value.none[kind]}</p>
  return (
    <div class={kind === 'seen' ? 'gallery-page gallery-page-tiles' : 'gallery-page'}>
      {messages.map(message => (
        <GalleryItem key={message.id} kind={kind} message={message} />
      ))}
    </div>
  )
}

const Kept = ({ heightPx }: { heightPx: number }): VNode => <div style={{ blockSize: `${heightPx}px` }} />

/** Whether the box is near the visible part of the page that scrolls. */
function useNearness(box: RefObject<HTMLDivElement | null>): boolean {
  const isNear = useSignal(false)
  useLayoutEffect(() => {
    if (!box.current) return
    const observer = new IntersectionObserver(
      entries => {
        isNear.value = entries.at(-1)?.isIntersecting ?? false
      },
      { root: box.current.closest('.page-body'), rootMargin: `${NEAR_PX}px 0px` },
    )
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  return isNear.value
}
