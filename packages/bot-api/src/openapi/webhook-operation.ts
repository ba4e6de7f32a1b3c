// The requests that the gateway sends when it is started with WEBHOOK_URL.
import { gatewayLimits } from '@postern/protocol'
import { update } from '../events.ts'
import { exampleUpdate } from './example-objects.ts'
import { jsonSchemaOf, shown } from './schemas.ts'
import type { OpenapiOperation, Parameter } from './shapes.ts'

const header = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

export const webhookOperation = (): OpenapiOperation => ({
  operationId: 'receiveUpdate',
  summary: 'Receive an update',
  description: `One update, in order. Any 2xx answer within ${gatewayLimits.webhookAnswerWithinMs / 1000} seconds means delivered; everything else, including a refused or reset connection, is a failed attempt and is retried after 1, 2, 4 … 300 seconds.`,
  tags: ['Updates'],
  security: [],
  parameters: [
    header('X-Service-Signature', '`sha256=` and the hexadecimal HMAC-SHA256 of the exact body under WEBHOOK_SECRET.'),
    header('webhook-id', 'The same at every attempt for one update.'),
    header('webhook-timestamp', 'Seconds since 1970 at this attempt.'),
    header(
      'webhook-signature',
      '`v1,` and the base64 HMAC-SHA256 of id, timestamp and body, joined by dots (Standard Webhooks). The key is WEBHOOK_SECRET; if it begins with `whsec_`, the base64-decoded rest.',
    ),
  ],
  requestBody: {
    required: true,
    content: { 'application/json': { schema: jsonSchemaOf(update), ...shown(exampleUpdate) } },
  },
  responses: { '2XX': { description: 'Delivered.' } },
})
