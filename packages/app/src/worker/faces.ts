// The pictures of the people of private chats, and when they are worth reading again: all of them together are large.
import type { Client } from '@postern/core'
import { isAccountId } from '@postern/protocol'
import type { Topic } from './topics.ts'

const CHAT = 'chat:'

export class Faces {
  readonly #client: Pick<Client, 'chats' | 'identity'>
  /** Chats of which the pictures were read. */
  readonly #met: Set<string>

  constructor(client: Pick<Client, 'chats' | 'identity'>) {
    this.#client = client
    this.#met = new Set(client.chats.list().map(({ id }) => id))
  }

  /** By account. */
  all(): Record<string, string> {
    const people = this.#client.chats.list().filter(chat => chat.type === 'private')
    const faces = people.flatMap(({ id }) => {
      const avatar = isAccountId(id) ? this.#client.identity.profileOf(id).avatar : undefined
      return avatar === undefined ? [] : [[id, avatar] as const]
    })
    return Object.fromEntries(faces)
  }

  /** Somebody was known before there was a chat, as from a group: no profile has changed, and one more face is shown. */
  hasNewChat(topics: ReadonlySet<Topic>): boolean {
    const chats = [...topics].flatMap(topic => (topic.startsWith(CHAT) ? [topic.slice(CHAT.length)] : []))
    const unmet = chats.filter(id => isAccountId(id) && !this.#met.has(id))
    if (unmet.length === 0) return false
    // One that is being opened is touched before anybody is shown it.
    const shown = new Set<string>(this.#client.chats.list().map(({ id }) => id))
    const met = unmet.filter(id => shown.has(id))
    for (const id of met) this.#met.add(id)
    return met.length > 0
  }
}
