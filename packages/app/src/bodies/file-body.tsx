// A file: its name and size, and a way to save it.
import type { VNode } from 'preact'
import { sizeOf } from '../i18n/sizes.ts'
import { begin } from '../parts/attempt.ts'
import { faultText } from '../parts/fault-words.ts'
import { FileLine } from '../parts/file-line.tsx'
import { Icon } from '../parts/icons/icon.tsx'
import { Spinner } from '../parts/spinner.tsx'
import './file-body.css'
import type { FilePlace } from './opened-files.ts'
import { saveFile } from './save-file.ts'
import { useOpenedFile } from './use-opened-file.ts'
import { bodyWords } from './words.ts'

export function FileBody({ place }: { place: FilePlace }): VNode {
  const { state } = useOpenedFile(place, 'asked')
  const { file } = place
  return (
    <button class="file-body" type="button" onClick={() => begin(saveFile(place))}>
      <span class="unseen">{bodyWords.value.saveFile}</span>
      <FileLine
        sign={state.kind === 'opening' ? <Spinner /> : <Icon name="file" size={22} />}
        name={file.name}
        facts={state.kind === 'failed' ? faultText(state.fault) : sizeOf(file.size)}
      />
    </button>
  )
}
