// A person in a test: a full client, and ways to wait for its events.
import { chatUpdate } from '@postern/bot-api/events'
import type { Chat, Message } from '@postern/bot-api/objects'
import { type Client, followJournal, type JournalEvent } from '@postern/core'
import { type AccountId, type ChatId, privateChatId } from '@postern/protocol'
import { parseInvite } from '@postern/protocol/content'
import type { Wire } from './wire.ts'

/** Patient on a busy machine: a test that waits this long has failed. */
export const WITHIN = { timeoutMs: 60_000 }

type EventOf<Type extends JournalEvent['type']> = Extract<JournalEvent, { type: Type }> & { id: number }

export class TestPerson {
  readonly name: string
  readonly client: Client
  readonly wire: Wire
  readonly directory: string
  #seen = 0

  constructor({ name, client, wire, directory }: { name: string; client: Client; wire: Wire; directory: string }) {
    this.name = name
    this.client = client
    this.wire = wire
    this.directory = directory
  }

  get id(): AccountId {
    return this.client.account
  }

  /** The id of the private chat that others have with this person. */
  get chatId(): ChatId {
    return privateChatId(this.client.account)
  }

  async online(): Promise<this> {
    await this.client.whenOnline(WITHIN)
    return this
  }

  async openInvite(inviteUrl: string): Promise<Chat> {
    return await this.client.chats.open(parseInvite(inviteUrl), WITHIN)
  }

  /** Makes a group, and waits until each member has it. */
  async createGroup(name: string, members: readonly TestPerson[]): Promise<ChatId> {
    const { id } = await this.client.chats.createGroup({ name, members: members.map(member => member.id) }, WITHIN)
    for (const member of members) await member.next('chat', event => event.chat_id === id)
    return id
  }

  async say(to: TestPerson | ChatId, text: string): Promise<Message> {
    return await this.client.messages.sendText(to instanceof TestPerson ? to.chatId : to, { text }, WITHIN)
  }

  /** The next event of a type that was not requested yet; earlier events are skipped. */
  async next<Type extends JournalEvent['type']>(
    type: Type,
    isWanted: (event: EventOf<Type>) => boolean = () => true,
  ): Promise<EventOf<Type>> {
    const read = () => this.#find(type, isWanted)
    const until = AbortSignal.timeout(WITHIN.timeoutMs)
    for await (const [event] of followJournal(this.client.journal, { read, until })) if (event) return event
    throw new Error(`${this.name} saw no ${type} in time`)
  }

  /** The event alone, or an empty list when every available event was skipped. */
  #find<Type extends JournalEvent['type']>(type: Type, isWanted: (event: EventOf<Type>) => boolean): EventOf<Type>[] {
    for (;;) {
      const entries = this.client.journal.read(this.#seen, 1000)
      if (entries.length === 0) return []
      for (const entry of entries) {
        this.#seen = entry.id
        // An event outside the contract fails the caller that waits for one.
        const event = chatUpdate.parse({ id: entry.id, ...JSON.parse(entry.json) })
        if (event.type === type && isWanted(event as EventOf<Type>)) return [event as EventOf<Type>]
      }
    }
  }

  async hears(text: string): Promise<Message> {
    return (await this.next('message', event => event.message.text === text)).message
  }

  /** All texts of a chat, oldest first, as this person sees them. */
  texts(chat: TestPerson | ChatId): string[] {
    const id = chat instanceof TestPerson ? chat.chatId : chat
    const texts: string[] = []
    let beforeTs = Number.MAX_SAFE_INTEGER
    for (;;) {
      const page = this.client.messages.list(id, { beforeTs, limit: 100 })
      texts.unshift(...page.map(message => message.text ?? ''))
      if (page.length < 100 || !page[0]) return texts
      beforeTs = page[0].ts
    }
  }
}
