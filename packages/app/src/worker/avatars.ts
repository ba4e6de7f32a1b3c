// The pictures of the people in private chats and of groups, and when to read them again: together they are large.
import type { Client } from '@postern/core'
import { isAccountId } from '@postern/protocol'
import type { WorkerTopic } from './topics.ts'

const CHAT = 'chat:'

export class AvatarStore {
  readonly #client: Pick<Client, 'chats' | 'identity'>
  /** People and groups whose pictures were read. */
  readonly #met: Set<string>

  constructor(client: Pick<Client, 'chats' | 'identity'>) {
    this.#client = client
    this.#met = new Set(this.#shown())
  }

  /** A stranger's waiting request is not included: nothing of the stranger's is decoded before it is accepted. */
  #shown(): string[] {
    return this.#client.chats.list().flatMap(({ id, state }) => (state === 'request' ? [] : [id]))
  }

  /** By chat, whose id is that of the account in a private one. */
  all(): Record<string, string> {
    const people = this.#shown().filter(id => isAccountId(id))
    const faces = people.flatMap(id => {
      const { avatar } = this.#client.identity.profileOf(id)
      return avatar === undefined ? [] : [[id, avatar] as const]
    })
    const groups = this.#client.chats.groupPictures().map(({ chat, picture }) => [chat, picture] as const)
    return Object.fromEntries([...faces, ...groups])
  }

  /** Somebody was known before, from a group or a request: no picture has changed, and one more is shown. */
  hasNewChat(topics: ReadonlySet<WorkerTopic>): boolean {
    const chats = [...topics].flatMap(topic => (topic.startsWith(CHAT) ? [topic.slice(CHAT.length)] : []))
    const unmet = chats.filter(id => !this.#met.has(id))
    if (unmet.length === 0) return false
    // A chat that is being opened is reported before it is shown.
    const shown = new Set(this.#shown())
    const met = unmet.filter(id => shown.has(id))
    for (const id of met) this.#met.add(id)
    return met.length > 0
  }
}
