// The notifications of a client that is away: its subscription at the relay, and the keys that open previews.
import type { TimeoutOption } from '@postern/protocol'
import type { CallRequest } from '@postern/protocol/relay'
import {
  type ChatGroup,
  type ChatPreviewKey,
  groupsWithChats,
  previewKeysInUse,
} from '../chats/records/chats-by-group.ts'
import type { Core } from '../context.ts'
import { wantsPreviews } from '../identity/preview-wish.ts'
import { announcePreviews } from '../upkeep/announce-previews.ts'

/** Where a push service accepts pushes for this device, the keys that seal them, and the groups that are muted. */
export type PushSubscriptionDetails = CallRequest<'setPush'>

export class ClientPushes {
  readonly #core: Core

  constructor(core: Core) {
    this.#core = core
  }

  /** The key by which push services know the relay. Undefined when the relay does not push. */
  async key({ timeoutMs }: TimeoutOption): Promise<Uint8Array | undefined> {
    const { link } = this.#core
    await link.whenOnline(timeoutMs)
    return (await link.call('pushKey', {}, timeoutMs)).key
  }

  /** Replaces the whole subscription of this device. Throws `push-off` or `push-endpoint` when the relay refuses it. */
  async set(subscription: PushSubscriptionDetails, { timeoutMs }: TimeoutOption): Promise<void> {
    const { link } = this.#core
    await link.whenOnline(timeoutMs)
    await link.call('setPush', subscription, timeoutMs)
  }

  async clear({ timeoutMs }: TimeoutOption): Promise<void> {
    const { link } = this.#core
    await link.whenOnline(timeoutMs)
    await link.call('clearPush', {}, timeoutMs)
  }

  /** The groups for which the relay may push, with their chats: a private chat can have several. */
  groups(): ChatGroup[] {
    return groupsWithChats(this.#core.store)
  }

  get arePreviewsWanted(): boolean {
    return wantsPreviews(this.#core.store)
  }

  /**
   * Durable here immediately. Recent chats learn it when the relay can be reached, others with the next message. When it
   * is switched off, the keys are deleted in the same step.
   */
  async setPreviewsWanted(wanted: boolean): Promise<void> {
    const { store, wakeChores } = this.#core
    await store.write(database => announcePreviews(database, wanted))
    if (!wanted) store.eraseTraces()
    wakeChores()
  }

  /**
   * The keys of the current epoch of each chat in use and of the one before, while previews are wanted. The topic
   * `preview-keys` is touched when they change.
   */
  previewKeys(): ChatPreviewKey[] {
    return previewKeysInUse(this.#core.store)
  }
}
