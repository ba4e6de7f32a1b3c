// The endpoints of updates: the queue without a name, named readers, their streams, and the webhook.
import { gatewayLimits } from '@postern/protocol'
import { z } from 'zod'
import { type Endpoint, nothing, pageLimit } from './endpoint.ts'
import { update } from './events.ts'
import { wholeNumber } from './field-rules.ts'
import { reader, webhookStatus } from './objects.ts'
import {
  readerConfirmation,
  readerInPath,
  readerName,
  readerStart,
  receiptsHaveReader,
  updateTypes,
} from './reader-rules.ts'

const kept = `${gatewayLimits.updatesKeptMs / 3_600_000} hours, at most ${gatewayLimits.updatesKeptMax} of them`

export const updateEndpoints = {
  getUpdates: {
    method: 'GET',
    path: '/v1/updates',
    section: 'Updates',
    scopes: ['read'],
    reach: 'own',
    summary: 'Get updates',
    description: `Returns updates, oldest first; waits up to \`timeout\` seconds if there are none yet. \`offset\` confirms every update below it. Unconfirmed updates are kept for ${kept}; the oldest are dropped. With \`reader\`, a named reader polls: it has a place of its own, works with a webhook and with UPDATES=off, and is created at its first use. There can be ${gatewayLimits.readersMax} of them. HEAD neither confirms nor waits.`,
    query: z
      .object({
        offset: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER })
          .default(0)
          .describe('The id of the last update that was handled, plus 1.'),
        timeout: wholeNumber({ min: 0, max: gatewayLimits.updatesPollTimeoutSecMax })
          .default(0)
          .describe('In seconds.'),
        limit: pageLimit({ max: gatewayLimits.updatesPerPollMax, standard: gatewayLimits.updatesPerPollMax }).describe(
          'How many at most.',
        ),
        reader: readerName().optional().describe('A named reader. If absent: the queue without a name.'),
        types: updateTypes,
        from: readerStart,
      })
      .superRefine(receiptsHaveReader),
    answerHeaders: {
      'Updates-Dropped': {
        description:
          'For a named reader that has lost updates, because it did not confirm them in time: how many since it last confirmed one.',
        schema: { type: 'integer', format: 'int64' },
      },
    },
    statuses: { webhook: 409, not_found: 404 },
    answer: z.array(update),
  },
  streamUpdates: {
    method: 'GET',
    path: '/v1/updates/stream',
    section: 'Updates',
    scopes: ['read'],
    reach: 'own',
    summary: 'Stream updates',
    description: `Server-sent events: the updates of a named reader, as they come. The stream begins with everything that the reader has not confirmed; \`Last-Event-ID\` resumes it after that update. The \`id\` of an event is that of its update, and its \`data\` is the Update. The event \`dropped\` reports updates that were lost before this consumer received them. Streaming confirms nothing: confirm with POST /v1/readers/{reader}. Every stream of a reader receives every update. There is a comment every ${gatewayLimits.streamHeartbeatMs / 1000} seconds at least; a consumer that accepts nothing for ${gatewayLimits.fileIdleMs / 1000} seconds is cut off. At most ${gatewayLimits.readerWaitsMax} streams and polls of named readers wait at a time.`,
    query: z.object({ reader: readerName().describe('A named reader.'), types: updateTypes, from: readerStart }),
    headers: z.object({
      'last-event-id': z
        .preprocess(
          value => (value === '' ? undefined : value),
          wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }).optional(),
        )
        .describe('The id of the last event that was received. One above all updates begins with the next update.'),
    }),
    answer: z.string(),
    answerType: 'text/event-stream',
  },
  listReaders: {
    method: 'GET',
    path: '/v1/readers',
    section: 'Updates',
    scopes: ['read'],
    reach: 'own',
    summary: 'List readers',
    description: 'The named readers, with their places and what waits for them.',
    answer: z.array(reader),
  },
  confirmUpdates: {
    method: 'POST',
    path: '/v1/readers/{reader}',
    section: 'Updates',
    scopes: ['read'],
    reach: 'own',
    summary: 'Confirm updates',
    description:
      'Confirms every update below `offset` for one reader. Its place never moves back. An offset above the newest update counts as the newest plus 1.',
    params: z.object({ reader: readerInPath }),
    body: readerConfirmation,
    answer: reader,
  },
  deleteReader: {
    method: 'DELETE',
    path: '/v1/readers/{reader}',
    section: 'Updates',
    scopes: ['read'],
    reach: 'own',
    summary: 'Delete a reader',
    description:
      'Deletes a named reader: its streams end, and nothing is kept for it any more. The next use of its name creates a new one.',
    params: z.object({ reader: readerInPath }),
    answer: nothing,
  },
  getWebhook: {
    method: 'GET',
    path: '/v1/webhook',
    section: 'Updates',
    scopes: ['read'],
    reach: 'all',
    summary: 'Get the webhook status',
    description: 'The status of webhook delivery.',
    answer: webhookStatus,
  },
} as const satisfies Record<string, Endpoint>
