// Updates as Telegram shows them. One of ours is one of theirs, under the same number, or none.
import type { Notice, Update } from '@postern/bot-api'
import type { Chat, Message } from '@postern/bot-api/objects'
import type { Records } from '@postern/core'
import { isAccountId, isCoded } from '@postern/protocol'
import { buttonsOfPage } from '../keyboards.ts'
import type { TelegramContext } from '../telegram-context.ts'
import { namedIn } from './named-in.ts'
import { secondsOf, shownPoll, type TelegramViews } from './views.ts'

export type ShownUpdate = { update_id: number } & Record<string, unknown>
type Of<Type extends Update['type']> = Extract<Update, { type: Type }>

/** As in Telegram: these two come only to bots that ask for them. */
const NOT_BY_DEFAULT = new Set(['chat_member', 'message_reaction'])

/** A press of a reply keyboard becomes a message, and is counted as a press here. */
const names: Partial<Record<Update['type'], string>> = {
  message: 'message',
  notice: 'message',
  edited: 'edited_message',
  poll: 'poll',
  button: 'callback_query',
  reaction: 'message_reaction',
  chat: 'my_chat_member',
}

const isWanted = (name: string, allowed: readonly string[] | undefined): boolean =>
  allowed ? allowed.includes(name) : !NOT_BY_DEFAULT.has(name)

export class ShownUpdates {
  readonly #context: TelegramContext
  readonly #views: TelegramViews
  readonly #states: Records

  constructor(context: TelegramContext, views: TelegramViews) {
    this.#context = context
    this.#views = views
    this.#states = context.client.records('telegram-states')
  }

  /** `allowed`: the names of the updates that the bot wants; undefined: those that it gets by default. */
  async show(updates: readonly Update[], allowed: readonly string[] | undefined): Promise<ShownUpdate[]> {
    await this.#views.assignNumbers(updates.flatMap(namedIn))
    const shown: ShownUpdate[] = []
    for (const update of updates) {
      const one = await this.#wanted(update, allowed)
      if (one) shown.push(one)
    }
    return shown
  }

  async #wanted(update: Update, allowed: readonly string[] | undefined): Promise<ShownUpdate | undefined> {
    const shown = await this.#show(update)
    if (!shown) return undefined
    const [name = ''] = Object.keys(shown)
    return isWanted(name, allowed) ? { update_id: update.id, ...shown } : undefined
  }

  /** Without doing anything: whether the update would be shown, as far as its type says it. */
  mayShow(update: Update, allowed: readonly string[] | undefined): boolean {
    const name = names[update.type]
    return name !== undefined && isWanted(name, allowed)
  }

  async #show(update: Update): Promise<Record<string, unknown> | undefined> {
    switch (update.type) {
      case 'message':
        return { message: await this.#views.message(update.message) }
      case 'edited':
        return { edited_message: await this.#views.message(update.message) }
      case 'poll':
        return update.message.poll && { poll: shownPoll(update.message, update.message.poll) }
      case 'button':
        return await this.#press(update)
      case 'reaction':
        return await this.#reaction(update)
      case 'chat':
        return await this.#chat(update)
      case 'notice':
        return await this.#notice(update)
      // Telegram has no updates for these.
      case 'deleted':
      case 'expired':
      case 'delivered':
      case 'read':
      case 'join_request':
        return undefined
    }
  }

  async #press({ id, chat_id: chat, button: press }: Of<'button'>): Promise<Record<string, unknown> | undefined> {
    const message = this.#views.find(chat, press.message_id)
    const pressed = this.#views.keyboards.pressed(message, press.data)
    switch (pressed.kind) {
      case 'page':
        await this.#turnPage(message, { page: pressed.page, press: press.press_id })
        return undefined
      case 'reply':
        await this.#answer(press.press_id)
        if (pressed.text === '') return undefined
        return {
          message: {
            ...(await this.#head(chat, `press ${press.press_id}`)),
            from: await this.#views.user(press.from),
            text: pressed.text,
          },
        }
      case 'data':
        return {
          callback_query: {
            id: press.press_id,
            from: await this.#views.user(press.from),
            message: message ? await this.#views.message(message) : await this.#gone(chat, press.message_id),
            chat_instance: String(id),
            data: pressed.data,
          },
        }
    }
  }

  /** The page is named by its number, so an update that is read twice turns it once. */
  async #turnPage(message: Message | undefined, { page, press }: { page: number; press: string }): Promise<void> {
    const rows = message && this.#views.keyboards.of(message)
    if (rows) {
      const params = { chat: message.chat_id, msg: message.id }
      await this.#orLater(this.#context.call('editMessage', { params, body: { buttons: buttonsOfPage(rows, page) } }))
    }
    await this.#answer(press)
  }

  async #answer(press: string): Promise<void> {
    await this.#orLater(this.#context.call('answerPress', { params: { press_id: press }, body: { text: '' } }))
  }

  /** A page that cannot be turned, because the relay is away or the press too old, must not hold up the updates. */
  async #orLater(work: Promise<unknown>): Promise<void> {
    try {
      await work
    } catch (error) {
      if (!isCoded(error)) throw error
      this.#context.log.debug({ code: error.code }, 'telegram keyboard press not handled')
    }
  }

  async #gone(chat: Of<'button'>['chat_id'], message: string): Promise<Record<string, unknown>> {
    const number = await this.#views.messages.of(chat, message)
    return { message_id: number, chat: await this.#views.chatOrGone(chat), date: 0 }
  }

  async #head(chat: Update['chat_id'], event: string): Promise<Record<string, unknown>> {
    return {
      message_id: await this.#views.messages.of(chat, event),
      date: secondsOf(this.#context.clock.nowMs()),
      chat: await this.#views.chatOrGone(chat),
    }
  }

  async #reaction({ chat_id: chat, reaction }: Of<'reaction'>): Promise<Record<string, unknown>> {
    const { emoji } = reaction
    return {
      message_reaction: {
        chat: await this.#views.chatOrGone(chat),
        message_id: await this.#views.messages.of(chat, reaction.message_id),
        user: await this.#views.user(reaction.from),
        date: secondsOf(this.#context.clock.nowMs()),
        old_reaction: [],
        new_reaction: emoji === '' ? [] : [{ type: 'emoji', emoji }],
      },
    }
  }

  /** Only a change of the bot's own place in the chat, and once, however often the update is read. */
  async #chat({ id, chat }: Of<'chat'>): Promise<Record<string, unknown> | undefined> {
    const before = JSON.parse(this.#states.get(chat.id) ?? '{}') as {
      state?: Chat['state']
      was?: Chat['state']
      id?: number
    }
    const was = before.id === id ? before.was : before.state
    if (was === chat.state || chat.state === 'request') return undefined
    const state = JSON.stringify({ state: chat.state, id, ...(was && { was }) })
    await this.#states.change({ key: chat.id, put: state })
    const user = await this.#views.me()
    const other = isAccountId(chat.id) ? chat.members.find(member => member.id === String(chat.id)) : undefined
    return {
      my_chat_member: {
        chat: await this.#views.chatOf(chat),
        from: other ? await this.#views.user(other) : user,
        date: secondsOf(this.#context.clock.nowMs()),
        old_chat_member: { user, status: was === 'active' ? 'member' : 'left' },
        new_chat_member: { user, status: chat.state === 'active' ? 'member' : 'left' },
      },
    }
  }

  async #notice({ id, chat_id: chat, notice }: Of<'notice'>): Promise<Record<string, unknown> | undefined> {
    const service = await this.#service(notice)
    if (!service || !('from' in notice)) return undefined
    const head = await this.#head(chat, `notice ${id}`)
    return { message: { ...head, from: await this.#views.user(notice.from), ...service } }
  }

  /** Only the changes that Telegram has, too. */
  async #service(notice: Notice): Promise<Record<string, unknown> | undefined> {
    if (notice.code === 'joined') {
      const members = await Promise.all(notice.members.map(member => this.#views.user(member)))
      return { new_chat_members: members, new_chat_member: members[0] }
    }
    if (notice.code === 'left') return { left_chat_member: await this.#views.user(notice.from) }
    if (notice.code === 'removed')
      return notice.members[0] && { left_chat_member: await this.#views.user(notice.members[0]) }
    if (notice.code === 'renamed') return { new_chat_title: notice.text }
    return notice.code === 'created' ? { group_chat_created: true } : undefined
  }
}
