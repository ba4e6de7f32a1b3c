// Push notifications of this device: tells the relay where to send them, and the service worker what it may show.
import type { Client } from '@postern/core'
import { appLimits, type Clock, inBackground, isCoded, type Log, type Timer, wireLimits } from '@postern/protocol'
import { isPreviewOf } from '@postern/protocol/preview'
import type { PushAddress } from '../contract/calls.ts'
import type { PushEvent } from '../contract/push-events.ts'
import type { PushShelf } from '../notifications/push-database.ts'
import type { ChatMarkings } from './chat-marks.ts'
import { isPushed, markPushed } from './push-mark.ts'
import type { AppSettings } from './settings.ts'

export type PushingContext = {
  client: Client
  marks: ChatMarkings
  settings: AppSettings
  shelf: PushShelf
  /** Whether the app asks for a passphrase: then notifications name nothing, because a closed app is locked. */
  isLocked: () => boolean
  clock: Clock
  log: Log
  tell: (tiding: PushEvent) => void
}

const WITHIN = { timeoutMs: appLimits.callTimeoutMs }

/** The facts that a notification shows, and the connection over which the relay learns of changes. */
const shown: ReadonlySet<string> = new Set(['chats', 'people', 'connection', 'preview-keys'])

export class PushKeeper {
  readonly #parts: PushingContext
  readonly #forgetChanges: () => void
  /** Unknown after a start, until the page has reported it. */
  #address: PushAddress | 'unknown' | 'none' = 'unknown'
  /** The subscription at the relay and the table of the service worker, as JSON: unchanged ones are not sent again. */
  #sent = ''
  #written = ''
  #due: Timer | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(parts: PushingContext) {
    this.#parts = parts
    const { client } = parts
    this.#forgetChanges = client.onChange(topics => {
      if ([...topics].some(topic => shown.has(topic))) this.changed()
    })
    this.changed()
  }

  stop(): void {
    this.#due?.cancel()
    this.#forgetChanges()
  }

  /** Durable when it resolves. Rejects if the relay refuses it, or does not answer: then it is sent again later. */
  async set(address: PushAddress | undefined): Promise<void> {
    await this.#inOrder(async () => {
      this.#address = address ?? 'none'
      await this.#update({ isOnline: true })
    })
  }

  /** Nothing that earlier notifications have shown is left, nor more than may be shown now. */
  async hideNotified(): Promise<void> {
    await this.#inOrder(async () => {
      await this.#parts.shelf.clear()
      this.#written = ''
      await this.#update({ isOnline: false })
    })
  }

  /** A moment later: names, muted chats and keys change in groups. */
  changed(): void {
    const { clock, client, log } = this.#parts
    this.#due ??= clock.setTimer(appLimits.pushRestMs, () => {
      this.#due = undefined
      const work = this.#inOrder(async () => {
        if (isPushed(client)) await this.#update({ isOnline: client.isOnline })
      })
      inBackground(work, { what: 'push notifications were not brought up to date', log })
    })
  }

  #inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }

  /** First here, also without a connection: whatever the relay still sends shows no more than it may. */
  async #update({ isOnline }: { isOnline: boolean }): Promise<void> {
    const { client } = this.#parts
    const address = this.#address
    if (address === 'none') await this.#erase()
    else await this.#write()
    if (!isOnline || address === 'unknown') return
    if (address !== 'none') return await this.#send(address)
    await client.pushes.clear(WITHIN)
    await markPushed(client, false)
  }

  async #erase(): Promise<void> {
    this.#sent = ''
    this.#written = ''
    await this.#parts.shelf.clear()
    await this.#wantPreviews(false)
  }

  async #wantPreviews(wanted: boolean): Promise<void> {
    const { pushes } = this.#parts.client
    if (pushes.arePreviewsWanted !== wanted) await pushes.setPreviewsWanted(wanted)
  }

  async #send(address: PushAddress): Promise<void> {
    const { client, marks } = this.#parts
    const muted = client.pushes.groups().filter(({ chat }) => marks.get(chat).muted)
    const wanted = { ...address, muted: muted.map(({ group }) => group).slice(0, wireLimits.mutedGroupsMax) }
    const json = JSON.stringify([address.endpoint, [...address.p256dh], [...address.auth], wanted.muted])
    if (json === this.#sent) return
    await markPushed(client, true)
    await client.pushes.set(wanted, WITHIN)
    this.#sent = json
  }

  async #write(): Promise<void> {
    const { client, marks, settings, shelf, isLocked } = this.#parts
    const { notify: chosen, language, sound, vibrate } = settings.get()
    const notify = isLocked() && chosen !== 'off' ? 'nothing' : chosen
    const hasWords = notify === 'words'
    await this.#wantPreviews(hasWords)
    const known = new Map(client.chats.list().map(chat => [chat.id, chat]))
    const chats = client.pushes.groups().map(({ group, chat }) => {
      const { name = '', state } = known.get(chat) ?? {}
      // A stranger's name is not shown unasked.
      const title = notify === 'nothing' || state === 'request' ? '' : name
      return { group, chat, title, muted: marks.get(chat).muted }
    })
    const keys = hasWords ? client.pushes.previewKeys() : []
    const table = { settings: { notify, language, sound, vibrate }, chats, keys }
    const json = JSON.stringify({ ...table, keys: keys.map(({ group, epoch }) => [group, epoch]) })
    if (json !== this.#written) await shelf.write(table)
    this.#written = json
    await this.#comparePreviews()
  }

  /** The sender can seal other words for the notification than the message has. */
  async #comparePreviews(): Promise<void> {
    const { client, shelf, tell } = this.#parts
    for (const { message, chat, preview } of await shelf.previews()) {
      const arrived = find(() => client.messages.get(chat, message))
      if (!arrived) continue
      await shelf.settlePreview(message)
      // The words of an edited message are others than those that were announced.
      if (arrived.edited_ts === undefined && !isPreviewOf(preview, arrived))
        tell({ kind: 'preview-differs', chat, message, from: arrived.from.name, text: preview.text })
    }
  }
}

/** Undefined until the message has arrived. */
function find<Found>(get: () => Found): Found | undefined {
  try {
    return get()
  } catch (error) {
    if (isCoded(error, 'chat-not-found', 'message-not-found')) return undefined
    throw error
  }
}
