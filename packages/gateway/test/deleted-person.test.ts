// A person deletes their account while the bot talks to them.
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { test } from './fixtures.ts'
import { badRequest } from './talking.ts'

test('[GATEWAY-4.17] the bot is told that nobody is there any more, and goes on with others', async ({
  talking: { api, path },
  alice,
  bob,
}) => {
  await api.send(alice.id, { text: 'hello' })
  await alice.client.identity.deleteAccount(WITHIN)
  for (const text of ['are you there?', 'and now?'])
    expect(await api.call('POST', `${path}/messages`, { json: { text } })).toEqual(
      badRequest(/^The other person has deleted their account/),
    )
  expect((await api.call('GET', path)).status).toBe(200)
  await bob.openInvite((await api.me()).invite_url)
  expect((await api.call('POST', `/v1/chats/${bob.id}/messages`, { json: { text: 'hello' } })).status).toBe(200)
})
