// Start links as the API shows them.
import type { BotInvite } from '@postern/bot-api'
import type { Client, Idempotency, StartLink } from '@postern/core'
import { assertRegistered } from './get-me.ts'

export type NewInviteRequest = { payload: string; uses?: number | undefined; expires?: number | undefined }

const view = ({ expiresTs, ...link }: StartLink): BotInvite => ({
  ...link,
  ...(expiresTs !== undefined && { expires: expiresTs }),
})

/** Before registration a link would lead nowhere. */
export async function createInvite(
  client: Client,
  { payload, uses, expires }: NewInviteRequest,
  given: { idempotency?: Idempotency },
): Promise<BotInvite> {
  assertRegistered(client)
  return view(await client.invites.create({ payload, uses, expiresTs: expires }, given))
}

export const listInvites = (
  client: Client,
  page: { limit?: number | undefined; after?: string | undefined },
): BotInvite[] => client.invites.list(page).map(view)
