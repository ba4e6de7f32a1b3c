// The pictures of the people of private chats, and when they are worth reading again: all of them together are large.
import type { Client } from '@postern/core'
import { type AccountId, isAccountId } from '@postern/protocol'
import type { WorkerTopic } from './topics.ts'

const CHAT = 'chat:'

export class AvatarStore {
  readonly #client: Pick<Client, 'chats' | 'identity'>
  /** People whose pictures were read. */
  readonly #met: Set<string>

  constructor(client: Pick<Client, 'chats' | 'identity'>) {
    this.#client = client
    this.#met = new Set(this.#people())
  }

  /** A stranger whose request waits is not among them: before it is accepted nothing of the stranger's is decoded. */
  #people(): AccountId[] {
    return this.#client.chats
      .list()
      .flatMap(({ id, type, state }) => (type === 'private' && state !== 'request' && isAccountId(id) ? [id] : []))
  }

  /** By account. */
  all(): Record<string, string> {
    const faces = this.#people().flatMap(id => {
      const { avatar } = this.#client.identity.profileOf(id)
      return avatar === undefined ? [] : [[id, avatar] as const]
    })
    return Object.fromEntries(faces)
  }

  /** Somebody was known before, from a group or a request: no profile has changed, and one more face is shown. */
  hasNewChat(topics: ReadonlySet<WorkerTopic>): boolean {
    const chats = [...topics].flatMap(topic => (topic.startsWith(CHAT) ? [topic.slice(CHAT.length)] : []))
    const unmet = chats.filter(id => isAccountId(id) && !this.#met.has(id))
    if (unmet.length === 0) return false
    // One that is being opened is touched before anybody is shown it.
    const shown = new Set<string>(this.#people())
    const met = unmet.filter(id => shown.has(id))
    for (const id of met) this.#met.add(id)
    return met.length > 0
  }
}
