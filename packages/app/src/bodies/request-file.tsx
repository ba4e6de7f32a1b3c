// A file in a request that was not accepted yet: its name and size. Nothing of it is fetched or decoded.
import type { VNode } from 'preact'
import { sizeOf } from '../i18n/sizes.ts'
import { FileLine } from '../parts/file-line.tsx'
import { Icon, type IconName } from '../parts/icons/icon.tsx'
import type { FilePlace } from './opened-files.ts'
import './request-file.css'
import { bodyWords } from './words.ts'

const signs: Record<FilePlace['file']['kind'], IconName> = { photo: 'image', video: 'play', voice: 'mic', file: 'file' }

export const RequestFile = ({ place: { file } }: { place: FilePlace }): VNode => (
  <div class="request-file">
    <FileLine
      sign={<Icon name={signs[file.kind]} size={22} />}
      name={file.name}
      facts={`${sizeOf(file.size)} · ${bodyWords.value.acceptFirst}`}
      tone="quiet"
    />
  </div>
)
