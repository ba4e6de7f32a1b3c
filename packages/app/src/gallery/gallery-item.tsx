// One photo, video, file, voice message or link of a gallery, with a way to its place in the chat.
import type { ComponentChildren, VNode } from 'preact'
import { FileBody } from '../bodies/file-body.tsx'
import { VoiceBody } from '../bodies/voice-body.tsx'
import type { FileInfo, Message } from '../contract/objects.ts'
import type { MediaKind } from '../contract/views.ts'
import { momentOf } from '../i18n/dates.ts'
import { lengthOf } from '../i18n/sizes.ts'
import { begin } from '../parts/attempt.ts'
import { pictureOf } from '../parts/avatar/face.ts'
import { Icon } from '../parts/icons/icon.tsx'
import { lazyImport } from '../parts/lazy-import.ts'
import { addressOf, partsOf } from '../parts/text/link-detection.ts'
import { NameText } from '../parts/text/name-text.tsx'
import { TimeText } from '../parts/text/time-text.tsx'
import { pathOf } from '../router.ts'
import './gallery-item.css'
import { galleryWords } from './words.ts'

const viewer = lazyImport(() => import('../bodies/media-viewer.tsx'))

export function GalleryItem({ kind, message }: { kind: MediaKind; message: Message }): VNode | null {
  const { file } = message
  if (kind === 'links') return <Links message={message} />
  if (!file) return null
  const place = { chat: message.chat_id, message: message.id, file }
  if (kind === 'seen') return <Tile message={message} file={file} />
  return <Row message={message}>{kind === 'voices' ? <VoiceBody place={place} /> : <FileBody place={place} />}</Row>
}

function Tile({ message, file }: { message: Message; file: FileInfo }): VNode {
  const picture = pictureOf(file.preview)
  const w = galleryWords.value
  const label = file.kind === 'video' ? w.video : w.photo
  return (
    <button
      class="gallery-tile"
      type="button"
      aria-label={label(message.from.name, momentOf(message.ts))}
      onClick={() => begin(viewer().then(({ showMedia }) => showMedia(message)))}
    >
      {picture && <img class="gallery-tile-picture" src={picture} alt="" loading="lazy" decoding="async" />}
      {!picture && <Icon name={file.kind === 'video' ? 'play' : 'image'} size={26} />}
      {file.duration_ms !== undefined && <span class="gallery-tile-length">{lengthOf(file.duration_ms)}</span>}
    </button>
  )
}

/** A message whose words only look as if there were one has no row. */
function Links({ message }: { message: Message }): VNode | null {
  const written = partsOf(message.text ?? '').filter(part => part.kind === 'link')
  // Behind other words, too: here each is shown with its address.
  const worded = (message.entities ?? []).flatMap(({ type, url }) => (type === 'link' && url && addressOf(url)) || [])
  const links = [...written, ...worded.map(({ url }) => ({ url, text: url }))]
  if (links.length === 0) return null
  return (
    <Row message={message}>
      {links.map(({ url, text }, at) => (
        <a key={at} class="gallery-link" dir="ltr" href={url} target="_blank" rel="noopener noreferrer">
          {text}
        </a>
      ))}
    </Row>
  )
}

const Row = ({ message, children }: { message: Message; children: ComponentChildren }): VNode => (
  <div class="gallery-row">
    {children}
    <a
      class="gallery-row-place"
      title={galleryWords.value.inChat}
      href={pathOf({ screen: 'chat', chat: message.chat_id, message: message.id })}
    >
      <span class="gallery-row-name">
        <NameText name={message.from.name} />
      </span>
      <TimeText ts={message.ts} as="list" />
    </a>
  </div>
)
