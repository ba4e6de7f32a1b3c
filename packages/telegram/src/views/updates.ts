// Updates as Telegram shows them. One of ours is one of theirs, under the same number, or none.
import type { Notice, Update } from '@postern/bot-api'
import type { Chat, Message } from '@postern/bot-api/objects'
import type { Records } from '@postern/core'
import { isAccountId, isCoded } from '@postern/protocol'
import { buttonsOfPage } from '../keyboards.ts'
import type { TelegramContext } from '../telegram-context.ts'
import { secondsOf, shownPoll, type View } from './view.ts'
import type { TelegramViews } from './views.ts'

export type ShownUpdate = { update_id: number } & Record<string, unknown>
/** The update without its number; undefined: Telegram has none for it. */
type Showing = (view: View) => Record<string, unknown> | undefined
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
    const showings: Showing[] = []
    for (const update of updates) {
      const done = this.#done(update)
      showings.push(done instanceof Promise ? await done : done)
    }
    return await this.#views.show(view =>
      updates.flatMap((update, at) => {
        const shown = showings[at]?.(view)
        if (!shown) return []
        const [name = ''] = Object.keys(shown)
        return isWanted(name, allowed) ? [{ update_id: update.id, ...shown }] : []
      }),
    )
  }

  /** Without doing anything: whether the update would be shown, as far as its type says it. */
  mayShow(update: Update, allowed: readonly string[] | undefined): boolean {
    const name = names[update.type]
    return name !== undefined && isWanted(name, allowed)
  }

  /** The work of an update that is done once: the update itself may be shown twice. */
  #done(update: Update): Showing | Promise<Showing> {
    switch (update.type) {
      case 'message':
        return view => ({ message: view.message(update.message) })
      case 'edited':
        return view => ({ edited_message: view.message(update.message) })
      case 'poll':
        return () => update.message.poll && { poll: shownPoll(update.message, update.message.poll) }
      case 'button':
        return this.#press(update)
      case 'reaction':
        return view => this.#reaction(update, view)
      case 'chat':
        return this.#chat(update)
      case 'notice':
        return view => this.#notice(update, view)
      // Telegram has no updates for these.
      case 'deleted':
      case 'expired':
      case 'delivered':
      case 'read':
      case 'join_request':
        return () => undefined
    }
  }

  async #press({ id, chat_id: chat, button: press }: Of<'button'>): Promise<Showing> {
    const message = this.#views.find(chat, press.message_id)
    const pressed = this.#views.keyboards.pressed(message, press.data)
    switch (pressed.kind) {
      case 'page':
        await this.#turnPage(message, { page: pressed.page, press: press.press_id })
        return () => undefined
      case 'reply':
        await this.#answer(press.press_id)
        return view =>
          pressed.text === ''
            ? undefined
            : {
                message: {
                  ...this.#head(view, chat, `press ${press.press_id}`),
                  from: view.user(press.from),
                  text: pressed.text,
                },
              }
      case 'data':
        return view => ({
          callback_query: {
            id: press.press_id,
            from: view.user(press.from),
            message: message
              ? view.message(message)
              : { message_id: view.messageNumber(chat, press.message_id), chat: view.chat(chat), date: 0 },
            chat_instance: String(id),
            data: pressed.data,
          },
        })
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

  #head(view: View, chat: Update['chat_id'], event: string): Record<string, unknown> {
    return {
      message_id: view.messageNumber(chat, event),
      date: secondsOf(this.#context.clock.nowMs()),
      chat: view.chat(chat),
    }
  }

  #reaction({ chat_id: chat, reaction }: Of<'reaction'>, view: View): Record<string, unknown> {
    const { emoji } = reaction
    return {
      message_reaction: {
        chat: view.chat(chat),
        message_id: view.messageNumber(chat, reaction.message_id),
        user: view.user(reaction.from),
        date: secondsOf(this.#context.clock.nowMs()),
        old_reaction: [],
        new_reaction: emoji === '' ? [] : [{ type: 'emoji', emoji }],
      },
    }
  }

  /** Only a change of the bot's own place in the chat, and once, however often the update is read. */
  async #chat({ id, chat }: Of<'chat'>): Promise<Showing> {
    const before = JSON.parse(this.#states.get(chat.id) ?? '{}') as {
      state?: Chat['state']
      was?: Chat['state']
      id?: number
    }
    const was = before.id === id ? before.was : before.state
    if (was === chat.state || chat.state === 'request') return () => undefined
    const state = JSON.stringify({ state: chat.state, id, ...(was && { was }) })
    await this.#states.change({ key: chat.id, put: state })
    const other = isAccountId(chat.id) ? chat.members.find(member => member.id === String(chat.id)) : undefined
    return view => {
      const user = view.me()
      return {
        my_chat_member: {
          chat: view.chatOf(chat),
          from: other ? view.user(other) : user,
          date: secondsOf(this.#context.clock.nowMs()),
          old_chat_member: { user, status: was === 'active' ? 'member' : 'left' },
          new_chat_member: { user, status: chat.state === 'active' ? 'member' : 'left' },
        },
      }
    }
  }

  #notice({ id, chat_id: chat, notice }: Of<'notice'>, view: View): Record<string, unknown> | undefined {
    const service = serviceOf(notice, view)
    if (!service || !('from' in notice)) return undefined
    return { message: { ...this.#head(view, chat, `notice ${id}`), from: view.user(notice.from), ...service } }
  }
}

/** Only the changes that Telegram has, too. */
function serviceOf(notice: Notice, view: View): Record<string, unknown> | undefined {
  if (notice.code === 'joined') {
    const members = notice.members.map(member => view.user(member))
    return { new_chat_members: members, new_chat_member: members[0] }
  }
  if (notice.code === 'left') return { left_chat_member: view.user(notice.from) }
  if (notice.code === 'removed') return notice.members[0] && { left_chat_member: view.user(notice.members[0]) }
  if (notice.code === 'renamed') return { new_chat_title: notice.text }
  return notice.code === 'created' ? { group_chat_created: true } : undefined
}
