// What can be done with files: they are drafted, sent with a message, and opened.
import type { Message } from '@postern/bot-api/objects'
import type { BlobId, ChatId, MessageId } from '@postern/protocol'
import type { Core } from '../context.ts'
import type { FetchPatience } from '../files/download/shared-fetches.ts'
import type { LocalFileHints } from '../files/upload/local-files.ts'
import { draftFile, type FileDraft, type FileHints, type NewFile, sendFile } from '../outbox/send-file.ts'
import { type OpenFile, openFile } from '../timeline/open-file.ts'
import type { Callers, ClientCallOptions } from './callers.ts'

export class ClientFiles {
  readonly #core: Core
  readonly #callers: Callers

  constructor(core: Core, callers: Callers) {
    this.#core = core
    this.#callers = callers
  }

  /** How much room those take that can be fetched again. */
  get keptBytes(): number {
    return this.#core.files.keptBytes
  }

  /** Reads what the source gives, and encrypts it; the relay gets it meanwhile. Whoever drafts a file discards it in the end. */
  async draft(source: AsyncIterable<Uint8Array>, hints: FileHints = {}): Promise<FileDraft> {
    return await draftFile(this.#core, source, hints)
  }

  /**
   * Lays a file down here, encrypted, under a name of the caller's: it is there over restarts until it is dropped, and what
   * was under the name is gone. Throws `too-large`, `storage-full` and what the source throws: nothing is left then.
   */
  async stow(name: string, source: AsyncIterable<Uint8Array>, hints: LocalFileHints = {}): Promise<void> {
    await this.#core.files.stowed.stow(name, source, hints)
  }

  stowedNames(): string[] {
    return this.#core.files.stowed.names()
  }

  /** A source for `draft`. Throws `file-gone` when there is no such file here, or not all of it. */
  readStowed(name: string): AsyncIterable<Uint8Array> {
    return this.#core.files.stowed.read(name)
  }

  /** One that is not there is fine. */
  async dropStowed(name: string): Promise<void> {
    await this.#core.files.stowed.drop(name)
  }

  /** The time is that for the message: the rest of its file is waited for as long as it gets on. */
  async send(id: ChatId, asked: NewFile, within: ClientCallOptions): Promise<Message> {
    return await this.#callers.once(within, given => sendFile(this.#core, id, { asked, within, ...given }))
  }

  /** Fetched and checked when it is not here yet. */
  async open(chat: ChatId, message: MessageId, waiting: FetchPatience): Promise<OpenFile> {
    return await openFile(this.#core, { chat, message }, waiting)
  }

  /** One of this account's that no message names, such as the copy by which the account came: deleted as soon as it can be. */
  async discardBlob(blob: BlobId): Promise<void> {
    await this.#core.files.discardBlob(blob)
  }

  /** Whether files go to the relay and come back as they were: these bytes do, and nothing of them stays. */
  async tryOut(source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    await this.#core.files.tryOut(source, signal)
  }
}
