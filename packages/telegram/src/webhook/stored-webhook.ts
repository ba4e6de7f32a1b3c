// The webhook of setWebhook as it is kept, and the rules of its parameters.
import { webhookUrlFault } from '@postern/bot-api'
import type { Records } from '@postern/core'
import { gatewayLimits } from '@postern/protocol'
import type { Parameters } from '../parameters.ts'
import { badRequest } from '../telegram-error.ts'

/** `maxConnections` is only shown again: updates go out one at a time. */
export type TelegramWebhookSettings = { url: string; secretToken?: string; maxConnections?: number }

const WEBHOOK = 'webhook'
const DELIVERY = 'webhook_delivery'

export class WebhookRecords {
  readonly #records: Records

  constructor(shelf: (name: string) => Records) {
    this.#records = shelf('telegram-settings')
  }

  get webhook(): TelegramWebhookSettings | undefined {
    const stored = this.#records.get(WEBHOOK)
    return stored === undefined ? undefined : (JSON.parse(stored) as TelegramWebhookSettings)
  }

  /** Durable when it resolves. The failures until now do not delay the next attempt. */
  async setWebhook(webhook: TelegramWebhookSettings | undefined): Promise<void> {
    const put = webhook && JSON.stringify(webhook)
    await this.#records.change(
      { key: WEBHOOK, ...(put === undefined ? { remove: true } : { put }) },
      { key: DELIVERY, remove: true },
    )
  }

  /** The failures in a row and the time of the next attempt, as the gateway writes them. */
  get delivery(): string | undefined {
    return this.#records.get(DELIVERY)
  }

  async setDelivery(put: string): Promise<void> {
    await this.#records.change({ key: DELIVERY, put })
  }
}

const { telegramSecretTokenCharsMax, telegramWebhookConnectionsMax, webhookUrlUnitsMax } = gatewayLimits

/** Undefined without an address: that takes the webhook away. */
export function webhookIn(parameters: Parameters): TelegramWebhookSettings | undefined {
  const url = parameters.text('url') ?? ''
  const secretToken = secretIn(parameters)
  const maxConnections = connectionsIn(parameters)
  if (url === '') return undefined
  const fault = url.length > webhookUrlUnitsMax ? `must have at most ${webhookUrlUnitsMax} characters` : urlFault(url)
  if (fault !== undefined) throw badRequest(`bad webhook: url ${fault}`)
  return {
    url,
    ...(secretToken !== undefined && { secretToken }),
    ...(maxConnections !== undefined && { maxConnections }),
  }
}

/** A user and a password in the address would be sent as a header: no bot for Telegram expects them. */
function urlFault(url: string): string | undefined {
  const fault = webhookUrlFault(url)
  if (fault !== undefined) return fault
  const { username, password } = new URL(url)
  return username + password === '' ? undefined : 'must not have a user or a password'
}

/** An empty one is none. */
function secretIn(parameters: Parameters): string | undefined {
  const secret = parameters.text('secret_token')
  if (secret === undefined || secret === '') return undefined
  if (secret.length > telegramSecretTokenCharsMax)
    throw badRequest(`secret_token must have at most ${telegramSecretTokenCharsMax} characters`)
  if (!/^[A-Za-z0-9_-]+$/.test(secret)) throw badRequest('secret token contains unallowed characters')
  return secret
}

function connectionsIn(parameters: Parameters): number | undefined {
  const most = parameters.integer('max_connections')
  if (most !== undefined && (most < 1 || most > telegramWebhookConnectionsMax))
    throw badRequest(`max_connections must be from 1 to ${telegramWebhookConnectionsMax}`)
  return most
}
