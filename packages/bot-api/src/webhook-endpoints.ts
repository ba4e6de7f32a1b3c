// The webhook over the API: set, removed, paused, resumed, and tried again.
import { gatewayLimits } from '@postern/protocol'
import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import { keeps, optional, STRING } from './field-rules.ts'
import { webhookStatus } from './objects.ts'

const schemes = new Set(['http:', 'https:'])

/** The rule of WEBHOOK_URL, too. */
export const webhookUrlFault = (text: string): string | undefined =>
  URL.canParse(text) && schemes.has(new URL(text).protocol)
    ? undefined
    : 'must be an address that starts with http:// or https://'

/** The rule of WEBHOOK_SECRET, too: libraries of Standard Webhooks would read another key from such a secret. */
export const webhookSecretFault = (text: string): string | undefined =>
  text.startsWith('whsec_') && !/^whsec_[A-Za-z0-9+/]{4,}={0,2}$/.test(text) ? 'must be base64 after whsec_' : undefined

const { webhookUrlUnitsMax, webhookSecretUnitsMax } = gatewayLimits
const urlRule = `must have 1 to ${webhookUrlUnitsMax} characters`
const secretRule = `must have 1 to ${webhookSecretUnitsMax} characters`

const secret = z
  .string(STRING)
  .min(1, secretRule)
  .max(webhookSecretUnitsMax, secretRule)
  .superRefine(keeps(webhookSecretFault))

export const newWebhook = z.object(
  {
    url: z
      .string(STRING)
      .min(1, urlRule)
      .max(webhookUrlUnitsMax, urlRule)
      .superRefine(keeps(webhookUrlFault))
      .describe('An http or https address. Redirects are not followed.'),
    secret: secret.describe('Signs each update, as WEBHOOK_SECRET does.'),
    previous_secret: optional(secret).describe(
      'While you change the secret: `webhook-signature` has a second signature under this one. `X-Service-Signature` is always under `secret`.',
    ),
  },
  'must be a JSON object',
)
export type NewWebhook = z.infer<typeof newWebhook>

const shared = { section: 'Updates', statuses: { webhook: 409 }, answer: webhookStatus } as const

export const webhookEndpoints = {
  setWebhook: {
    ...shared,
    method: 'PUT',
    scopes: ['admin'],
    path: '/v1/webhook',
    summary: 'Set the webhook',
    description:
      'Delivers updates to this address from now on, instead of keeping them for polls; waiting polls end. It replaces a webhook that was set before, is kept encrypted in the database, and survives restarts and restores. A paused webhook stays paused. If WEBHOOK_URL is set, the answer is 409: the settings take precedence.',
    body: newWebhook,
  },
  removeWebhook: {
    ...shared,
    method: 'DELETE',
    scopes: ['admin'],
    path: '/v1/webhook',
    summary: 'Remove the webhook',
    description:
      'Removes the webhook that was set over the API: updates that were not delivered are polled. Without one, nothing changes. If WEBHOOK_URL is set, the answer is 409.',
  },
  pauseWebhook: {
    ...shared,
    method: 'POST',
    scopes: ['admin'],
    path: '/v1/webhook/pause',
    summary: 'Pause the webhook',
    description:
      'Delivers nothing until the webhook is resumed, also after a restart. Updates wait as long as undelivered ones. An update in flight is sent again later, under its id. Also for WEBHOOK_URL.',
  },
  resumeWebhook: {
    ...shared,
    method: 'POST',
    scopes: ['admin'],
    path: '/v1/webhook/resume',
    summary: 'Resume the webhook',
    description: 'Delivers again, beginning with the oldest update that waits.',
  },
  retryWebhook: {
    ...shared,
    method: 'POST',
    scopes: ['admin'],
    path: '/v1/webhook/retry',
    summary: 'Retry now',
    description:
      'Tries a failed delivery again immediately, instead of at `next_attempt_ts`. If that fails, too, the waits continue to grow. A paused webhook tries when it is resumed.',
  },
} as const satisfies Record<string, Endpoint>
