// The mark of forwarded messages: on texts and files, kept by edits, and naming nobody.
import { WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { piecesOf, randomFile } from './files-world.ts'

test('[CORE-5.21] a forwarded text and a forwarded file are marked on both sides, also after an edit, and others are not', async ({
  alice,
  bob,
}) => {
  const text = await alice.client.messages.sendText(bob.chatId, { text: 'passed on', forwarded: true }, WITHIN)
  expect(text.forwarded).toBe(true)
  expect(await bob.hears('passed on')).toMatchObject({ forwarded: true })
  await alice.client.messages.edit(bob.chatId, { message: text.id, text: 'passed on, shorter' }, WITHIN)
  expect((await bob.next('edited')).message).toMatchObject({ text: 'passed on, shorter', forwarded: true })
  const draft = await alice.client.files.draft(piecesOf(randomFile(500)))
  const words = { draft, name: 'a.bin', type: 'application/octet-stream', kind: 'file', text: 'a file' } as const
  await alice.client.files.send(bob.chatId, { ...words, forwarded: true }, WITHIN)
  await draft.discard()
  expect(await bob.hears('a file')).toMatchObject({ forwarded: true })
  await alice.say(bob, 'my own')
  expect(await bob.hears('my own')).not.toHaveProperty('forwarded')
})
