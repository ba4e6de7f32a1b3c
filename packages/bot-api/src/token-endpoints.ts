// Tokens with fewer rights than BOT_TOKEN, as rows of the table of endpoints.
import { gatewayLimits } from '@postern/protocol'
import { z } from 'zod'
import { type Endpoint, nothing, scopeNames, type TokenScope } from './endpoint.ts'
import { namedChat, optional, shownName } from './field-rules.ts'

const section = 'Tokens'
const { tokensMax, tokenChatsMax, tokenNameCharsMax } = gatewayLimits

const distinct = (list: readonly string[]): boolean => new Set(list).size === list.length

const scopesRule = `must be an array of different scopes: ${scopeNames.join(', ')}`
const chatsRule = `must be an array of 1 to ${tokenChatsMax} different chat ids`

type TokenFields = { scopes: TokenScope[]; chats?: string[] | undefined }

/** Such a token could create one without a limit. */
function adminHasNoLimit({ scopes, chats }: TokenFields, context: z.RefinementCtx): void {
  if (chats && scopes.includes('admin'))
    context.addIssue({ code: 'custom', path: ['chats'], message: 'cannot be combined with the scope admin' })
}

export const newToken = z
  .object(
    {
      name: shownName(tokenNameCharsMax).describe('Tells people what the token is for.'),
      scopes: z
        .array(z.enum(scopeNames, scopesRule), scopesRule)
        .min(1, scopesRule)
        .max(scopeNames.length, scopesRule)
        .refine(distinct, { error: scopesRule })
        .describe(
          '`read`: chats, messages, files and updates, confirming them included. `send`: messages, reactions, votes, receipts and answers to presses. `hooks`: hooks. `admin`: everything, these endpoints included.',
        ),
      chats: optional(
        z
          .array(namedChat, chatsRule)
          .min(1, chatsRule)
          .max(tokenChatsMax, chatsRule)
          .refine(distinct, { error: chatsRule }),
      ).describe('Limits the token to these chats of the bot. If absent: all chats, later ones included.'),
    },
    'must be a JSON object',
  )
  .superRefine(adminHasNoLimit)

export const apiToken = z.object({
  id: z.string().describe('Names the token in this API. It opens nothing.'),
  name: z.string(),
  scopes: z.array(z.string()).describe('`read`, `send`, `hooks`, `admin`.'),
  chats: z.array(z.string()).optional().describe('The chats to which it is limited; absent: all.'),
  ts: z.int().describe('When it was created.'),
  last_used_ts: z
    .int()
    .optional()
    .describe('When it was last used. After a restart it may be up to a minute too early. Absent: never used.'),
})
export type ApiToken = z.infer<typeof apiToken>

export const createdToken = apiToken.extend({
  token: z.string().describe('The token itself. Only this answer contains it.'),
})
export type CreatedToken = z.infer<typeof createdToken>

export const tokenEndpoints = {
  createToken: {
    method: 'POST',
    path: '/v1/tokens',
    section,
    scopes: ['admin'],
    summary: 'Create a token',
    description: `Creates a token with fewer rights than BOT_TOKEN. The gateway keeps only a hash of it, in its database. There are at most ${tokensMax}.`,
    body: newToken,
    statuses: { not_found: 404 },
    answer: createdToken,
  },
  listTokens: {
    method: 'GET',
    path: '/v1/tokens',
    section,
    scopes: ['admin'],
    summary: 'List tokens',
    description: 'The tokens that were not revoked, oldest first, each with its last use. BOT_TOKEN is not among them.',
    answer: z.array(apiToken),
  },
  revokeToken: {
    method: 'DELETE',
    path: '/v1/tokens/{id}',
    section,
    scopes: ['admin'],
    summary: 'Revoke a token',
    description:
      'Revokes a token immediately: the connections of its requests that are under way, long polls and streams included, are closed. A token that revokes itself receives no answer. Its named readers are deleted if it was limited to chats. Hooks that were created with it stay.',
    params: z.object({ id: z.string().describe('The id of the token.') }),
    answer: nothing,
  },
} as const satisfies Record<string, Endpoint>
