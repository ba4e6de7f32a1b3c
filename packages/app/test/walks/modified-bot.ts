// A bot whose client breaks the rules: its words, name and content are those that our gateway and our core would refuse.
import { commitAs, coreOf, openTitled, publishProfile, sayWords } from '@postern/core/hostile'
import { type AccountId, type ChatId, contentLimits, toBase64Url } from '@postern/protocol'
import type { Command } from '@postern/protocol/content'
import type { TestPerson } from '@postern/testkit'

type Profile = { name: string; about: string; commands: Command[] }

export class ModifiedBot {
  readonly #person: TestPerson

  constructor(person: TestPerson) {
    this.#person = person
  }

  get id(): AccountId {
    return this.#person.id
  }

  get link(): string {
    return this.#person.client.identity.me().inviteUrl
  }

  async isCalled(profile: Profile): Promise<void> {
    await publishProfile(this.#person, { ...profile, bot: true })
  }

  /** The last person that pressed Start. */
  async startedIn(): Promise<ChatId> {
    return (await this.#person.next('message', ({ message }) => message.text === '/start')).chat_id
  }

  async says(chat: ChatId, body: object): Promise<void> {
    await sayWords(this.#person, chat, { body })
  }

  /** With a greeting, which contains an unchecked name. */
  async greets(chat: ChatId, name: string): Promise<void> {
    const profileKey = toBase64Url(coreOf(this.#person).own.profileKey)
    await sayWords(this.#person, chat, { body: { kind: 'hello' }, hello: { name, profileKey } })
  }

  async sendsFile(chat: ChatId, file: object): Promise<void> {
    const nowhere = { blob: 'a'.repeat(26), key: 'a'.repeat(43), digest: 'a'.repeat(43) }
    await this.says(chat, { kind: 'file', ...nowhere, size: contentLimits.fileBytesMax, type: 'image/png', ...file })
  }

  async makesGroup(title: string, member: AccountId): Promise<ChatId> {
    return await openTitled(this.#person, title, [member])
  }

  async renames(chat: ChatId, title: string): Promise<void> {
    const admins = [this.id]
    await commitAs(this.#person, chat, () => ({
      settings: { v: 1, type: 'group', title, admins, timerMs: 0, generation: 0 },
    }))
  }
}
