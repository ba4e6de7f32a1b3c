// The Telegram Bot API of a gateway: a request in, an answer out. It knows nothing of HTTP but the status.

import { readFileId } from './ids/file-ids.ts'
import type { Method, MethodParts } from './methods/method.ts'
import { findMethod } from './methods/methods.ts'
import { PolledUpdates } from './polling/poll-updates.ts'
import type { MethodInput, TelegramContext } from './telegram-context.ts'
import { badRequest, TelegramError, telegramErrorOf } from './telegram-error.ts'
import { ShownUpdates } from './views/updates.ts'
import { TelegramViews } from './views/views.ts'
import { TelegramWebhook } from './webhook/telegram-webhook.ts'

export type TelegramAnswer = { status: number; body: object }

/** `unknown`: the name of the method is the caller's. */
export type CallOutcome = 'done' | 'refused' | 'unknown' | 'failed'

export class TelegramApi {
  readonly #parts: MethodParts

  private constructor(parts: MethodParts) {
    this.#parts = parts
  }

  static async open(context: TelegramContext): Promise<TelegramApi> {
    const views = new TelegramViews(context)
    const shown = new ShownUpdates(context, views)
    const updates = new PolledUpdates(context, shown)
    await updates.open()
    const webhook: TelegramWebhook = new TelegramWebhook(context, {
      show: async update => (await shown.show([update], updates.allowed()))[0],
      run: async (name, input) => await methodOf(name).run(input, parts),
    })
    const parts = { context, views, updates, webhook }
    await webhook.start()
    return new TelegramApi(parts)
  }

  async stop(): Promise<void> {
    await this.#parts.webhook.stop()
  }

  /** Throws the fault as it is: `telegramAnswerTo` makes an answer of it. */
  async run(name: string, read: () => Promise<MethodInput>): Promise<TelegramAnswer> {
    const method = methodOf(name)
    const result: unknown = await method.run(await read(), this.#parts)
    return { status: 200, body: { ok: true, result } }
  }

  /** The message whose file has this path. */
  file(path: string): { chat: string; msg: string } {
    const { chat, message } = readFileId(path)
    if (!this.#parts.views.find(chat, message)?.file) throw new TelegramError(404, 'Not Found')
    return { chat, msg: message }
  }
}

function methodOf(name: string): Method {
  const found = findMethod(name)
  if (!found) throw new UnknownMethod()
  return found.method
}

class UnknownMethod extends TelegramError {
  constructor() {
    super(400, badRequest('method is not supported by this gateway').message)
  }
}

/** The name of a method as the table has it: any other text is the caller's. */
export const findSupported = (name: string): string | undefined => findMethod(name)?.name

/** For a fault that is one of ours, the caller learns no more than that. */
export function telegramAnswerTo(error: unknown): TelegramAnswer & { outcome: CallOutcome } {
  const { status, message: description } = telegramErrorOf(error) ?? new TelegramError(500, 'Internal Server Error')
  const outcome = error instanceof UnknownMethod ? 'unknown' : status >= 500 ? 'failed' : 'refused'
  return { status, body: { ok: false, error_code: status, description }, outcome }
}
