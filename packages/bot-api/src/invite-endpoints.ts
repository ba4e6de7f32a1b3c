// Invites with a payload: links that tell the bot by which of them a person came.
import { clientLimits, contentLimits, gatewayLimits, startPayload, startPayloadFault } from '@postern/protocol'
import { z } from 'zod'
import { type Endpoint, nothing, sendHeaders } from './endpoint.ts'
import { keeps, optional, STRING, wholeNumber } from './field-rules.ts'

const section = 'Bot'
const { startLinksMax, startLinkUsesMax } = clientLimits
const usesRule = `must be a whole number from 1 to ${startLinkUsesMax}`
const timeRule = 'must be a time in milliseconds'

export const newInvite = z.object(
  {
    payload: z
      .string(STRING)
      .superRefine(keeps(startPayloadFault))
      .meta({ minLength: 1, maxLength: contentLimits.startPayloadCharsMax, pattern: startPayload.source })
      .describe('The bot reads it in the text: `/start <payload>`.'),
    uses: optional(z.int(usesRule).min(1, usesRule).max(startLinkUsesMax, usesRule)).describe(
      'How many people may come by the link; each counts once. If absent: any number.',
    ),
    expires: optional(z.int(timeRule).min(1, timeRule)).describe(
      'When the link ends, by the clock of the gateway at the time when it receives the message. If absent: never.',
    ),
  },
  'must be a JSON object',
)

export const invite = z.object({
  id: z.string().describe('Names the link in this API. It opens nothing.'),
  url: z.string().describe('The link. It contains a secret token in place of the payload.'),
  payload: z.string(),
  uses: z.int().optional(),
  used: z.int().describe('How many people have come by it.'),
  expires: z.int().optional(),
  ts: z.int().describe('When it was created.'),
})
export type BotInvite = z.infer<typeof invite>

export const inviteEndpoints = {
  createInvite: {
    method: 'POST',
    path: '/v1/invites',
    section,
    scopes: ['admin'],
    summary: 'Create a start link',
    description: `Creates an invite link with a payload, like \`?start=\` at Telegram. A person who presses *Start* at it sends \`/start\`, and the bot receives the message with the text \`/start <payload>\` and the field \`invite\`. A link that was revoked, has expired or is used up opens the chat all the same, and the text is \`/start\`. There are at most ${startLinksMax} links; those that have expired do not count.`,
    headers: sendHeaders,
    body: newInvite,
    statuses: { not_found: 404 },
    answer: invite,
  },
  listInvites: {
    method: 'GET',
    path: '/v1/invites',
    section,
    scopes: ['admin'],
    summary: 'List start links',
    description:
      'The links with a payload that were neither revoked nor have expired, oldest first: all, or page by page.',
    query: z.object({
      limit: wholeNumber({ min: 1, max: gatewayLimits.invitesPageMax }).optional().describe('All when absent.'),
      after: z
        .string('must be the id of an invite')
        .min(1, 'must be the id of an invite')
        .optional()
        .describe('The next page: the links after this one, the last of the previous page.'),
    }),
    statuses: { not_found: 404 },
    answer: z.array(invite),
  },
  revokeInvite: {
    method: 'DELETE',
    path: '/v1/invites/{id}',
    section,
    scopes: ['admin'],
    summary: 'Revoke a start link',
    description: 'Revokes a link with a payload. People who came by it before stay as they are.',
    params: z.object({ id: z.string().describe('The id of the invite.') }),
    answer: nothing,
  },
} as const satisfies Record<string, Endpoint>
