// A file on its way out: its type, and how much of it was sent.
import type { VNode } from 'preact'
import type { OutgoingFile } from '../contract/objects.ts'
import { lengthOf, sizeOf } from '../i18n/sizes.ts'
import { pictureOf } from '../parts/avatar/face.ts'
import { FileLine } from '../parts/file-line.tsx'
import { Icon, type IconName } from '../parts/icons/icon.tsx'
import './outgoing-file.css'
import { frameOf } from './picture-frame.ts'
import { bodyWords } from './words.ts'

const signs: Readonly<Record<OutgoingFile['kind'], IconName>> = {
  photo: 'image',
  video: 'play',
  voice: 'mic',
  file: 'file',
}

type OutgoingFileBodyProps = { file: OutgoingFile; sentBytes: number | undefined }

export function OutgoingFileBody({ file, sentBytes }: OutgoingFileBodyProps): VNode {
  const picture = pictureOf(file.preview)
  const frame = frameOf(file)
  const style = { '--frame-width': `${frame.width}px`, '--frame-ratio': `${frame.width} / ${frame.height}` }
  return (
    <div class="outgoing-file">
      {picture && <img class="outgoing-file-picture" style={style} src={picture} alt="" />}
      <FileLine
        sign={!picture && <Icon name={signs[file.kind]} size={22} />}
        name={file.name}
        facts={factsOf(file, sentBytes)}
      >
        {sentBytes !== undefined && (
          <progress class="outgoing-file-bar" max={Math.max(1, file.size)} value={sentBytes} aria-hidden="true" />
        )}
      </FileLine>
    </div>
  )
}

function factsOf({ size, duration_ms }: OutgoingFile, sentBytes: number | undefined): string {
  if (sentBytes !== undefined) return bodyWords.value.sentOf(sizeOf(sentBytes), sizeOf(size))
  return duration_ms === undefined ? sizeOf(size) : `${lengthOf(duration_ms)} · ${sizeOf(size)}`
}
