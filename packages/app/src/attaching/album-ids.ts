// Marks photos and videos that are sent together: at most ten in a row have one id, and any other file ends them.
import { contentLimits } from '@postern/protocol'
import type { OutgoingFile } from '../contract/objects.ts'

export class AlbumIds {
  #id = ''
  #count = 0

  mark(file: OutgoingFile): OutgoingFile {
    if (file.kind !== 'photo' && file.kind !== 'video') {
      this.#count = 0
      return file
    }
    if (this.#count % contentLimits.albumFilesMax === 0) this.#id = crypto.randomUUID()
    this.#count++
    return { ...file, album: this.#id }
  }
}
