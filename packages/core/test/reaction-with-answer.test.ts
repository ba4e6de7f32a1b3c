// A reaction of others to a message can arrive together with the relay's answer to it.
import { WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

test('[CORE-5.4] a reaction that comes in one moment with the answer to its message is not lost', async ({
  alice,
  bob,
}) => {
  await alice.say(bob, 'first')
  await bob.hears('first')
  await bob.say(alice, 'heard')
  await alice.hears('heard')
  for (let round = 0; round < 10; round++) {
    alice.wire.hold()
    const said = alice.say(bob, `round ${round}`)
    const { message } = await bob.next('message', event => event.message.text === `round ${round}`)
    await bob.client.messages.react(alice.chatId, { message: message.id, emoji: '👍' }, WITHIN)
    await expect.poll(() => alice.wire.held.length).toBeGreaterThanOrEqual(2)
    alice.wire.release()
    await said
    await alice.next('reaction', event => event.reaction.message_id === message.id)
  }
})
