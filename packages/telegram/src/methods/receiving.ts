// Methods about how the bot receives its updates: polls or a webhook.
import { gatewayLimits } from '@postern/protocol'
import { Parameters } from '../parameters.ts'
import type { MethodInput } from '../telegram-context.ts'
import { TelegramError } from '../telegram-error.ts'
import { secondsOf } from '../views/view.ts'
import { webhookIn } from '../webhook/stored-webhook.ts'
import type { MethodParts, Methods } from './method.ts'

/** As in Telegram, the list of updates stays unless there is a new one. */
async function setWebhook({ parameters, form }: MethodInput, { updates, webhook }: MethodParts): Promise<true> {
  // A certificate comes as a file, and fields may follow it.
  if (form) while (await form.nextFile());
  const all = form ? new Parameters({ ...Object.fromEntries(parameters.entries()), ...form.fields() }) : parameters
  const stored = webhookIn(all)
  const drops = all.flag('drop_pending_updates')
  await updates.keepAllowed(all)
  await webhook.set(stored, async () => {
    if (stored) updates.endPoll()
    if (drops) await updates.dropPending()
  })
  return true
}

async function deleteWebhook({ parameters }: MethodInput, { updates, webhook }: MethodParts): Promise<true> {
  const drops = parameters.flag('drop_pending_updates')
  await webhook.set(undefined, async () => {
    if (drops) await updates.dropPending()
  })
  return true
}

async function getWebhookInfo(_: MethodInput, { updates, webhook }: MethodParts): Promise<object> {
  const { stored, lastFailure } = webhook
  const allowed = updates.allowed()
  return {
    url: stored?.url ?? '',
    has_custom_certificate: false,
    pending_update_count: await updates.pending(),
    ...(stored && { max_connections: stored.maxConnections ?? gatewayLimits.telegramWebhookConnectionsDefault }),
    ...(lastFailure && { last_error_date: secondsOf(lastFailure.ts), last_error_message: lastFailure.error }),
    ...(allowed && { allowed_updates: allowed }),
  }
}

export const receivingMethods: Methods = {
  getUpdates: {
    fits: 'full',
    note: '`timeout` is at most 50. A second poll ends the first one, which is answered with 409.',
    run: ({ parameters, gone }, { updates, webhook }) => {
      if (webhook.stored) throw webhookActive()
      return updates.poll(parameters, gone)
    },
  },
  setWebhook: {
    fits: 'partly',
    note: 'Also `http://`. One update at a time; `certificate` and `ip_address` are ignored.',
    run: setWebhook,
  },
  deleteWebhook: { fits: 'full', note: '', run: deleteWebhook },
  getWebhookInfo: { fits: 'full', note: 'Without `ip_address`.', run: getWebhookInfo },
}

/** Libraries and bots match these words. */
const webhookActive = () =>
  new TelegramError(
    409,
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  )
