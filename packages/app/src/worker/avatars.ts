// The pictures of the people in private chats, and when to read them again: together they are large.
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

  /** A stranger with a waiting request is not included: nothing of the stranger's is decoded before it is accepted. */
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

  /** Somebody was known before, from a group or a request: no profile has changed, and one more avatar is shown. */
  hasNewChat(topics: ReadonlySet<WorkerTopic>): boolean {
    const chats = [...topics].flatMap(topic => (topic.startsWith(CHAT) ? [topic.slice(CHAT.length)] : []))
    const unmet = chats.filter(id => isAccountId(id) && !this.#met.has(id))
    if (unmet.length === 0) return false
    // A chat that is being opened is reported before it is shown.
    const shown = new Set<string>(this.#people())
    const met = unmet.filter(id => shown.has(id))
    for (const id of met) this.#met.add(id)
    return met.length > 0
  }
}
