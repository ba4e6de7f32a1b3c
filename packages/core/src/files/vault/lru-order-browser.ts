// The order in which files were used, across restarts:
// OPFS keeps no time of use, so each use is a line of a small file.
import { type BlobId, clientLimits, isBlobId, SerialQueue } from '@postern/protocol'
import { type AccessHandle, absentIsFine, accessHandle, whileHeld } from '../../storage/sqlite/opfs-browser.ts'

const FILE = 'order'

export class LruOrder {
  readonly #folder: FileSystemDirectoryHandle
  readonly #lane = new SerialQueue()
  #lines = 0

  constructor(folder: FileSystemDirectoryHandle) {
    this.#folder = folder
  }

  /** By blob, the line of its last use; empty if nothing was noted. */
  async read(): Promise<Map<BlobId, number>> {
    const used = new Map<BlobId, number>()
    const entry = await absentIsFine(this.#folder.getFileHandle(FILE))
    const lines = entry ? (await (await entry.getFile()).text()).split('\n') : []
    for (const [at, blob] of lines.entries()) if (isBlobId(blob)) used.set(blob, at)
    this.#lines = lines.length
    return used
  }

  /**
   * Rewrites the file with the existing blobs, least recently used first,
   * when it has too many other lines: it must not grow without end.
   */
  async tidy(blobs: BlobId[]): Promise<void> {
    if (this.#lines <= blobs.length + clientLimits.fileUsesNotedMax) return
    await this.#lane.run(() => this.#write(handle => handle.truncate(0), blobs)).catch(() => undefined)
  }

  /** A use that cannot be noted, as on a full disk, costs a fetch at worst. */
  async note(blob: BlobId): Promise<void> {
    await this.#lane.run(() => this.#write(() => undefined, [blob])).catch(() => undefined)
  }

  async #write(prepare: (handle: AccessHandle) => void, blobs: BlobId[]): Promise<void> {
    const entry = await this.#folder.getFileHandle(FILE, { create: true })
    const handle = await whileHeld(() => accessHandle(entry))
    try {
      prepare(handle)
      const lines = blobs.map(blob => `${blob}\n`).join('')
      if (lines !== '') handle.write(new TextEncoder().encode(lines), { at: handle.getSize() })
    } finally {
      handle.close()
    }
  }
}
