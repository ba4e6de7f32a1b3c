// The file operations of a client: drafting a file, sending it with a message, and opening it.
import type { Message } from '@postern/bot-api/objects'
import type { BlobId, ChatId, MessageId } from '@postern/protocol'
import type { Core } from '../context.ts'
import type { FetchPatience } from '../files/download/shared-fetches.ts'
import type { LocalFileHints } from '../files/upload/local-files.ts'
import { sendAlbum } from '../outbox/send-album.ts'
import { draftFile, type FileDraft, type FileHints, type NewFile, sendFile } from '../outbox/send-file.ts'
import { type OpenFile, openFile } from '../timeline/open-file.ts'
import { type RemovedFiles, removeFilesBefore, type StorageUse, storageUse } from '../timeline/storage-use.ts'
import type { Callers, ClientCallOptions } from './callers.ts'

export class ClientFiles {
  readonly #core: Core
  readonly #callers: Callers

  constructor(core: Core, callers: Callers) {
    this.#core = core
    this.#callers = callers
  }

  /** The disk space of files that can be fetched again. */
  get keptBytes(): number {
    return this.#core.files.keptBytes
  }

  /** Reads the sizes of all messages. */
  storageUse(): StorageUse {
    return storageUse(this.#core)
  }

  /** Removes the kept files of messages before a time. They are fetched again on request, if the relay still has them. */
  async removeBefore(ts: number): Promise<RemovedFiles> {
    return await removeFilesBefore(this.#core, ts)
  }

  /** Reads and encrypts the source, and uploads it meanwhile. The caller discards the draft in the end. */
  async draft(source: AsyncIterable<Uint8Array>, hints: FileHints = {}): Promise<FileDraft> {
    return await draftFile(this.#core, source, hints)
  }

  /**
   * Stores a file here, encrypted, under a name that the caller chooses. It survives restarts until it is dropped, and
   * replaces an earlier file of that name.
   * Throws `too-large`, `storage-full` and the errors of the source; nothing is left then.
   */
  async stow(name: string, source: AsyncIterable<Uint8Array>, hints: LocalFileHints = {}): Promise<void> {
    await this.#core.files.stowed.stow(name, source, hints)
  }

  stowedNames(): string[] {
    return this.#core.files.stowed.names()
  }

  /** A source for `draft`. Throws `file-gone` when the file is not here, or not complete. */
  readStowed(name: string): AsyncIterable<Uint8Array> {
    return this.#core.files.stowed.read(name)
  }

  /** A missing file is no error. */
  async dropStowed(name: string): Promise<void> {
    await this.#core.files.stowed.drop(name)
  }

  /** The timeout applies to the message. The rest of the upload is awaited as long as it makes progress. */
  async send(id: ChatId, asked: NewFile, within: ClientCallOptions): Promise<Message> {
    return await this.#callers.once(within, given => sendFile(this.#core, id, { asked, within, ...given }))
  }

  /** Each file is a message, in this order; all of them have one `album`. A key is for all of them together. */
  async sendAlbum(id: ChatId, files: readonly NewFile[], within: ClientCallOptions): Promise<Message[]> {
    return await this.#callers.once(within, given => sendAlbum(this.#core, id, { files, within, ...given }))
  }

  /** Fetches and checks the file if it is not here yet. */
  async open(chat: ChatId, message: MessageId, waiting: FetchPatience): Promise<OpenFile> {
    return await openFile(this.#core, { chat, message }, waiting)
  }

  /**
   * Deletes a blob of this account that no message names,
   * such as the copy by which the account was moved, as soon as possible.
   */
  async discardBlob(blob: BlobId): Promise<void> {
    await this.#core.files.discardBlob(blob)
  }

  /** Checks that files reach the relay and come back unchanged: uploads these bytes, fetches them and deletes them. */
  async tryOut(source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    await this.#core.files.tryOut(source, signal)
  }
}
