// Keyboards of Telegram as buttons of ours: six fit under a message, and more of them are turned over page by page.
import type { ButtonRows } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import type { Client, Records } from '@postern/core'
import { contentLimits, gatewayLimits, isButtonDataShort, SerialQueue } from '@postern/protocol'
import { Parameters } from './parameters.ts'
import { badRequest } from './telegram-error.ts'

/** `reply`: its press is a message with its text. */
export type KeyboardButton = { text: string } & ({ data: string } | { url: string } | { reply: true })
export type KeyboardRows = KeyboardButton[][]

/** No bot writes these two: a press with such data is that of a page, or of a button that answers with its text. */
const PAGE = '\u001fpage '
const REPLY = '\u001freply '

const { buttonRowsMax, buttonsPerRowMax, buttonTextCharsMax } = contentLimits
const BUTTONS_MAX = buttonRowsMax * buttonsPerRowMax
/** The sixth place turns the page. */
const PER_PAGE = BUTTONS_MAX - 1

/** Undefined if the request says nothing about a keyboard; no rows if it takes one away. */
export function keyboardOf(parameters: Parameters): KeyboardRows | undefined {
  const markup = parameters.object('reply_markup')
  if (!markup) return undefined
  if (markup.has('inline_keyboard')) return rowsOf(markup, 'inline_keyboard').map(row => row.map(inlineButton))
  if (markup.has('keyboard')) return rowsOf(markup, 'keyboard').map(row => row.map(replyButton))
  return undefined
}

export const inlineKeyboardOf = (parameters: Parameters): KeyboardRows =>
  parameters.object('reply_markup')?.has('inline_keyboard') ? (keyboardOf(parameters) ?? []) : []

function rowsOf(markup: Parameters, field: string): unknown[][] {
  const rows = markup.list(field) ?? []
  return rows
    .map(row => {
      if (!Array.isArray(row)) throw badRequest(`${field} must be an array of rows`)
      return row as unknown[]
    })
    .filter(row => row.length > 0)
}

function inlineButton(value: unknown): KeyboardButton {
  const button = asButton(value)
  const text = shortened(button.need('text'))
  const data = button.text('callback_data')
  if (data !== undefined) {
    if (data === '' || !isButtonDataShort(data) || data.startsWith(PAGE) || data.startsWith(REPLY))
      throw badRequest('BUTTON_DATA_INVALID')
    return { text, data }
  }
  const url = button.text('url')
  if (url === undefined) throw badRequest('BUTTON_TYPE_INVALID')
  return { text, url }
}

function replyButton(value: unknown): KeyboardButton {
  if (typeof value === 'string' && value !== '') return { text: shortened(value), reply: true }
  const button = asButton(value)
  if (
    ['request_contact', 'request_location', 'request_poll', 'request_users', 'request_chat', 'web_app'].some(it =>
      button.has(it),
    )
  )
    throw badRequest('BUTTON_TYPE_INVALID')
  return { text: shortened(button.need('text')), reply: true }
}

function asButton(value: unknown): Parameters {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('a button must be an object')
  return new Parameters(value)
}

function shortened(text: string): string {
  const signs = [...text]
  return signs.length <= buttonTextCharsMax ? text : `${signs.slice(0, buttonTextCharsMax - 1).join('')}…`
}

/** The buttons that stand under the message: all of them, or one page and the button that turns it. */
export function buttonsOfPage(rows: KeyboardRows, page: number): ButtonRows {
  const all = rows.flat().map(asOurs)
  if (all.length <= BUTTONS_MAX) {
    const fits = rows.length <= buttonRowsMax && rows.every(row => row.length <= buttonsPerRowMax)
    return fits ? rowsLike(rows, all) : inColumns(all)
  }
  const pages = Math.ceil(all.length / PER_PAGE)
  const shown = all.slice(page * PER_PAGE, (page + 1) * PER_PAGE)
  const next = (page + 1) % pages
  return inColumns([...shown, { text: `▸ ${page + 1}/${pages}`, data: `${PAGE}${next}` }])
}

const rowsLike = <Button>(rows: readonly (readonly unknown[])[], all: Button[]): Button[][] => {
  let from = 0
  return rows.map(row => all.slice(from, (from += row.length)))
}

const inColumns = <Button>(all: Button[]): Button[][] =>
  Array.from({ length: Math.ceil(all.length / buttonsPerRowMax) }, (_, row) =>
    all.slice(row * buttonsPerRowMax, (row + 1) * buttonsPerRowMax),
  )

const asOurs = (button: KeyboardButton, at: number): ButtonRows[number][number] => {
  if ('reply' in button) return { text: button.text, data: `${REPLY}${at}` }
  return 'url' in button ? { text: button.text, url: button.url } : { text: button.text, data: button.data }
}

const needsPages = (rows: KeyboardRows): boolean => rows.flat().length > BUTTONS_MAX

export type PressMeaning =
  | { kind: 'page'; page: number }
  | { kind: 'reply'; text: string }
  | { kind: 'data'; data: string }

/** Keyboards of several pages, and what a press on a button of any keyboard means. */
export class Keyboards {
  readonly #client: Client
  readonly #records: Records
  readonly #writes = new SerialQueue()

  constructor(client: Client) {
    this.#client = client
    this.#records = client.records('telegram-keyboards')
  }

  /** After the message was sent or edited. Durable when it resolves. */
  async keep(message: Message, rows: KeyboardRows): Promise<void> {
    const key = keyOf(message)
    if (!needsPages(rows) && this.#records.get(key) === undefined) return
    await this.#writes.run(async () => {
      if (!needsPages(rows)) return await this.#records.change({ key, remove: true })
      const isNew = this.#records.get(key) === undefined
      await this.#records.change({ key, put: JSON.stringify(rows) }, ...(isNew ? this.#tooMany() : []))
    })
  }

  /** The whole keyboard of a message that has pages. */
  of(message: Message): KeyboardRows | undefined {
    const stored = this.#records.get(keyOf(message))
    return stored === undefined ? undefined : (JSON.parse(stored) as KeyboardRows)
  }

  pressed(message: Message | undefined, data: string): PressMeaning {
    if (data.startsWith(PAGE)) return { kind: 'page', page: Number(data.slice(PAGE.length)) || 0 }
    if (!data.startsWith(REPLY)) return { kind: 'data', data }
    const text = message?.buttons?.flat().find(button => button.data === data)?.text
    return { kind: 'reply', text: text ?? '' }
  }

  /** The rows of a message as Telegram shows them. */
  shown(message: Message): KeyboardRows | undefined {
    const whole = message.from.id === this.#client.account ? this.of(message) : undefined
    if (whole) return whole
    return message.buttons?.map(row =>
      row.map(({ text, data = '', url }): KeyboardButton => {
        if (url !== undefined) return { text, url }
        return data.startsWith(REPLY) ? { text, reply: true } : { text, data }
      }),
    )
  }

  /** The keys begin with the time of their message: the first ones are the oldest. */
  #tooMany(): { key: string; remove: true }[] {
    const all = this.#records.all()
    if (all.length < gatewayLimits.telegramKeyboardsMax) return []
    return all.slice(0, 1).map(({ key }) => ({ key, remove: true }))
  }
}

const keyOf = ({ ts, id }: Pick<Message, 'ts' | 'id'>): string => `${String(ts).padStart(16, '0')} ${id}`
