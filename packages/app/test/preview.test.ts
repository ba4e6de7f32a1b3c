// The inviter, before there is an account.
import { describe, expect } from 'vitest'
import { test } from './app-fixtures.ts'
import { TestApp } from './app-world.ts'

describe('an invite link', () => {
  test('[APP-1.15] tells who invites, before there is an account', async ({ world, bob }) => {
    await bob.client.identity.setProfile({ about: 'likes boats' })
    const app = new TestApp(world)
    await app.host.home.start()
    const link = bob.client.identity.me().inviteUrl
    const preview = () => app.page().call('previewInvite', { link })
    await expect.poll(preview).toEqual({ account: bob.id, name: 'bob', about: 'likes boats', bot: false })
    expect(app.host.home.stage).toEqual({ kind: 'no-account' })
  })

  test('[APP-1.22] of a relay that is away says so, so that the page asks again', async ({ world, bob }) => {
    const app = new TestApp(world)
    await app.host.home.start()
    const page = app.page()
    const link = bob.client.identity.me().inviteUrl
    await world.stopRelay()
    await expect(page.call('previewInvite', { link })).rejects.toThrow('relay-unreachable')
    await world.startRelay()
    await expect.poll(() => page.call('previewInvite', { link })).toMatchObject({ name: 'bob' })
  })

  test('[APP-1.16] tells no name that the account did not say, and can be opened all the same', async ({
    world,
    bob,
    mallory,
  }) => {
    const app = new TestApp(world)
    await app.host.home.start()
    const page = app.page()
    const parts = bob.client.identity.me().inviteUrl.split('/')
    const foreign = mallory.client.identity.me().inviteUrl.split('/')
    const link = [...parts.slice(0, -2), foreign.at(-2), parts.at(-1)].join('/')
    expect(await page.call('previewInvite', { link })).toEqual({ account: bob.id, name: '', about: '', bot: false })
    await expect(page.call('previewInvite', { link: 'https://example.org/' })).rejects.toThrow('invite-malformed')
  })

  test('[APP-1.25] to a group tells who made it and what it claims, and nothing is sent', async ({
    world,
    bob,
    mallory,
  }) => {
    const chat = await bob.createGroup('Boats', [mallory])
    const { url: link } = await bob.client.groupLinks.make(chat)
    const app = new TestApp(world)
    await app.host.home.start()
    const page = app.page()
    const expected = { account: bob.id, name: 'bob', about: '', bot: false, group: 'Boats' }
    await expect.poll(() => page.call('previewInvite', { link })).toEqual(expected)
    const untitled = link.slice(0, link.lastIndexOf('/') + 1)
    await expect(page.call('previewInvite', { link: untitled })).rejects.toThrow('invite-malformed')
    expect(bob.client.groupLinks.requests(chat)).toEqual([])
  })
})
