// A bot's program in a walk: it waits for updates and sends messages for the test, over the gateway's API.
import type { Message, Update } from '@postern/bot-api'
import { type TestGateway, WITHIN } from '@postern/testkit'

type UpdateOf<Type extends Update['type']> = Extract<Update, { type: Type }>
type Sent = {
  bytes: Uint8Array<ArrayBuffer>
  name: string
  caption: string
  buttons?: object[][]
  kind: 'photo' | 'video' | 'file'
  type: string
}
type Asked = { question: string; options: string[]; mentions?: object[]; buttons?: object[][] }
type Said = { text: string; buttons?: object[][]; reply_to?: string; format?: 'markdown' }

export class WalkingBot {
  readonly gateway: TestGateway
  #offset = 0
  readonly #waiting: Update[] = []

  constructor(gateway: TestGateway) {
    this.gateway = gateway
  }

  get link(): string {
    return this.gateway.client.identity.me().inviteUrl
  }

  /** A start link. */
  async linkWith(payload: string): Promise<string> {
    return (await this.#ask<{ url: string }>('POST', '/v1/invites', { payload })).url
  }

  async introduces(about: string, commands: { name: string; description: string; args?: string }[]): Promise<void> {
    await this.#ask('PATCH', '/v1/me', { about })
    await this.#ask('PUT', '/v1/me/commands', { commands })
  }

  /** The next update of a type that nobody has waited for yet; earlier ones are skipped. */
  async next<Type extends Update['type']>(
    type: Type,
    isWanted: (update: UpdateOf<Type>) => boolean = () => true,
  ): Promise<UpdateOf<Type>> {
    const patience = AbortSignal.timeout(WITHIN.timeoutMs)
    while (!patience.aborted) {
      const update = this.#waiting.shift() ?? (await this.#fetch())
      if (update?.type === type && isWanted(update as UpdateOf<Type>)) return update as UpdateOf<Type>
    }
    throw new Error(`the bot had no ${type} in time`)
  }

  async hears(text: string): Promise<UpdateOf<'message'>> {
    return await this.next('message', ({ message }) => message.text === text)
  }

  async says(chat: string, said: Said): Promise<Message> {
    return await this.#ask<Message>('POST', `/v1/chats/${chat}/messages`, said)
  }

  async edits({ chat_id, id }: Message, said: Said): Promise<void> {
    await this.#ask('PATCH', `/v1/chats/${chat_id}/messages/${id}`, said)
  }

  async deletes(chat: string, message: string): Promise<void> {
    await this.#ask('DELETE', `/v1/chats/${chat}/messages/${message}`)
  }

  async asks(chat: string, poll: Asked): Promise<Message> {
    return await this.#ask<Message>('POST', `/v1/chats/${chat}/polls`, poll)
  }

  async answers(press: string, text: string): Promise<void> {
    await this.#ask('POST', `/v1/presses/${press}/answer`, { text })
  }

  async sendsPhoto(chat: string, photo: Omit<Sent, 'kind' | 'type'>): Promise<void> {
    await this.sendsFile(chat, { ...photo, kind: 'photo', type: 'image/png' })
  }

  async sendsFile(chat: string, { bytes, name, caption, buttons = [], kind, type }: Sent): Promise<void> {
    const body = new FormData()
    body.append('file', new Blob([bytes], { type }), name)
    body.append('kind', kind)
    body.append('caption', caption)
    body.append('buttons', JSON.stringify(buttons))
    const { url, token } = this.gateway
    const answer = await fetch(new URL(`/v1/chats/${chat}/files`, url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body,
    })
    if (!answer.ok) throw new Error(`the file was refused: ${await answer.text()}`)
  }

  /** A person's messages at this bot, in order. */
  textsOf(chat: string): string[] {
    const all = this.gateway.client.messages.list(chat as Message['chat_id'], { limit: 100 })
    return all.filter(({ from }) => String(from.id) === chat).map(({ text }) => text ?? '')
  }

  async #fetch(): Promise<Update | undefined> {
    const updates = await this.#ask<Update[]>('GET', `/v1/updates?offset=${this.#offset}&timeout=20`)
    for (const update of updates) this.#offset = update.id + 1
    this.#waiting.push(...updates)
    return this.#waiting.shift()
  }

  async #ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.gateway.api<Answer>(method, path, body)
    if (answer.status >= 400) throw new Error(`${method} ${path} was refused: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
}
