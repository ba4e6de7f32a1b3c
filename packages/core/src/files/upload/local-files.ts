// Files that wait here until they are sent:
// encrypted under keys of the database, across restarts, until they are dropped.
import { KEY_BYTES } from '@postern/mls'
import { CodedError, isCoded, KeyedQueue, toBase32 } from '@postern/protocol'
import { sealedLength } from '../cipher/file-format.ts'
import { readSealed } from '../download/read-sealed.ts'
import type { FilesContext } from '../files-context.ts'
import type { LocalFileId, SealedBytes } from '../vault/file-vault.ts'
import { sealSource } from './seal-source.ts'
import { Spool } from './spool.ts'
import { bytesMaxOf } from './spooled-file.ts'

const STOW_ID_BYTES = 16

export type LocalFileHints = {
  /** The largest size that the file can have; one byte more is refused. */
  bytesHint?: number
  /** Ends the operation with the signal's reason. */
  signal?: AbortSignal
}

type LocalFileRow = { stow_id: LocalFileId; key: Uint8Array; size: number }

export class LocalFiles {
  readonly #parts: FilesContext
  readonly #lanes = new KeyedQueue<string>()
  readonly #stop = new AbortController()
  /** Written, and not in the database yet: no leftovers. */
  readonly #inHand = new Set<LocalFileId>()

  constructor(parts: FilesContext) {
    this.#parts = parts
  }

  names(): string[] {
    return this.#parts.store.all<{ name: string }>('SELECT name FROM stowed_file').map(({ name }) => name)
  }

  async stow(name: string, source: AsyncIterable<Uint8Array>, hints: LocalFileHints): Promise<void> {
    await this.#lanes.run(name, async () => {
      this.#stop.signal.throwIfAborted()
      const id = toBase32(this.#parts.randomBytes(STOW_ID_BYTES))
      const spool = new Spool(await this.#parts.vault.createPart(), this.#parts.buffers)
      this.#inHand.add(id)
      try {
        await this.#note(name, { stow_id: id, ...(await this.#layDown(spool, source, { id, hints })) })
      } catch (error) {
        await this.#parts.vault.removeStowed(id)
        throw error
      } finally {
        await spool.release()
        this.#inHand.delete(id)
      }
    })
  }

  async *read(name: string): AsyncGenerator<Uint8Array> {
    const row = this.#find(name)
    const sealed = row && (await this.#parts.vault.openStowed(row.stow_id))
    if (!sealed) throw new CodedError('file-gone')
    try {
      await assertWhole(sealed, row)
      yield* readSealed(this.#parts, sealed, { key: row.key, size: row.size, pieces: 'kept' })
    } catch (error) {
      // No relay has it: a file that is damaged here is lost.
      throw isCoded(error, 'file-damaged') ? new CodedError('file-gone', {}, { cause: error }) : error
    } finally {
      await sealed.close()
    }
  }

  async drop(name: string): Promise<void> {
    await this.#lanes.run(name, async () => {
      const row = this.#find(name)
      if (!row) return
      await this.#parts.store.write(database => database.run('DELETE FROM stowed_file WHERE name = ?', name))
      await this.#parts.vault.removeStowed(row.stow_id)
    })
  }

  /** Removes files that a kill has left between the disk and the database. */
  async sweep(): Promise<void> {
    for (const id of await this.#parts.vault.stowed()) if (!this.#isNamed(id)) await this.#parts.vault.removeStowed(id)
  }

  async stop(): Promise<void> {
    this.#stop.abort(new CodedError('stopping'))
    await this.#lanes.idle()
  }

  async #layDown(
    spool: Spool,
    source: AsyncIterable<Uint8Array>,
    { id, hints }: { id: LocalFileId; hints: LocalFileHints },
  ): Promise<Omit<LocalFileRow, 'stow_id'>> {
    const key = this.#parts.randomBytes(KEY_BYTES)
    const signal = hints.signal ? AbortSignal.any([hints.signal, this.#stop.signal]) : this.#stop.signal
    const bytesMax = bytesMaxOf({ bytesHint: hints.bytesHint, uploads: 'later' })
    const { size } = await sealSource(this.#parts, source, { spool, key, bytesMax, signal })
    await spool.part.stow(id)
    return { key, size }
  }

  async #note(name: string, { stow_id: id, key, size }: LocalFileRow): Promise<void> {
    const before = this.#find(name)
    const put = 'INSERT OR REPLACE INTO stowed_file (name, stow_id, key, size) VALUES (?, ?, ?, ?)'
    await this.#parts.store.write(database => database.run(put, name, id, key, size))
    if (before) await this.#parts.vault.removeStowed(before.stow_id)
  }

  #find(name: string): LocalFileRow | undefined {
    return this.#parts.store.get<LocalFileRow>('SELECT stow_id, key, size FROM stowed_file WHERE name = ?', name)
  }

  #isNamed(id: LocalFileId): boolean {
    if (this.#inHand.has(id)) return true
    return this.#parts.store.get('SELECT 1 FROM stowed_file WHERE stow_id = ?', id) !== undefined
  }
}

/** Checked before any byte is returned: an incomplete file counts as missing. */
async function assertWhole(sealed: SealedBytes, { size }: LocalFileRow): Promise<void> {
  const [last, beyond] = [new Uint8Array(1), new Uint8Array(1)]
  const length = sealedLength(size)
  const isWhole = (await sealed.read(last, length - 1)) === 1 && (await sealed.read(beyond, length)) === 0
  if (!isWhole) throw new CodedError('file-damaged')
}
