// Questions of agents: buttons, replies, keys, and who may decide.
import { mcpLimits } from '@postern/protocol'
import { passTime } from '@postern/testkit'
import { expect } from 'vitest'
import { ANSWER_READER } from '../src/stored-names.ts'
import { comesToBot, groupWith, press, reply, SOON, sees, seesEnd, test, toastOf } from './mcp.ts'

const deploy = { question: 'Deploy cart 1.8?', options: ['Deploy', 'Wait', 'Stop'] }

test('[MCP-3.1] a press is the answer, and the message shows who chose what and when', async ({
  mcp,
  agent,
  alice,
}) => {
  const asked = agent.ok('ask_human', { chat: alice.id, ...deploy })
  const question = await sees(alice, deploy.question)
  expect(question.buttons?.map(row => row.map(({ text }) => text))).toEqual([['Deploy'], ['Wait'], ['Stop']])
  const id = await press(alice, question, 'Wait')
  expect(await asked).toEqual({
    status: 'answered',
    ask_id: expect.stringMatching(/^q_/),
    choice: 1,
    label: 'Wait',
    by: { id: alice.id, name: 'alice' },
    answered_ts: expect.any(Number),
  })
  expect(await toastOf(alice, id)).toBe('Your answer: Wait')
  const ended = await seesEnd(alice, question)
  expect(ended.text).toMatch(/^Deploy cart 1\.8\?\n\n✅ Wait · alice, \d\d:\d\d UTC$/)
  expect(ended.buttons).toBeUndefined()
  expect(mcp.gateway.client.messages.get(alice.chatId, question.id).buttons).toBeUndefined()
})

test('[MCP-3.1] six options are three rows of two', async ({ agent, alice }) => {
  const options = ['1', '2', '3', '4', '5', '6']
  await agent.ok('ask_human', { chat: alice.id, question: 'Which?', options, wait_seconds: 0 })
  const { buttons } = await sees(alice, 'Which?')
  expect(buttons?.map(row => row.map(({ text }) => text))).toEqual([
    ['1', '2'],
    ['3', '4'],
    ['5', '6'],
  ])
})

test('[MCP-3.2] without options the next reply of a person who may decide is the answer', async ({
  agent,
  alice,
  mcp,
}) => {
  const asked = agent.ok('ask_human', { chat: alice.id, question: 'When?' })
  const question = await sees(alice, 'When?')
  expect(question.text).toBe('When?\n\n↩️ Reply to this message.')
  await alice.say(mcp.toBot, 'not an answer')
  await reply(alice, question, 'only after 18:00')
  expect(await asked).toMatchObject({
    status: 'answered',
    by: { id: alice.id, name: 'alice' },
    text: { untrusted: true, from: 'alice', value: 'only after 18:00' },
  })
  expect((await seesEnd(alice, question)).text).toMatch(/^When\?\n\n💬 alice, \d\d:\d\d UTC$/)
})

test('[MCP-3.2] a reply of a person who may not decide is no answer', async ({ alice, bob, mcp }) => {
  await comesToBot(bob, mcp.gateway)
  const chat = await groupWith(mcp.gateway, [alice, bob])
  await mcp.restart({ MCP_CHATS: chat })
  const agent = await mcp.agent()
  const { ask_id } = await agent.ok('ask_human', { chat, question: 'Why?', wait_seconds: 0 })
  const ofAlice = await sees(alice, 'Why?')
  await reply(bob, await sees(bob, 'Why?'), 'because of bob')
  await alice.hears('because of bob')
  await reply(alice, ofAlice, 'because of alice')
  expect(await agent.ok('wait_answer', { ask_id })).toMatchObject({ text: { value: 'because of alice' } })
})

test('[MCP-3.2] a reply to a question with buttons counts with free_text alone', async ({ agent, alice }) => {
  const first = await agent.ok('ask_human', { chat: alice.id, question: 'A?', options: ['Yes'], wait_seconds: 0 })
  const both = { question: 'B?', options: ['Yes'], free_text: true, wait_seconds: 0 }
  const second = await agent.ok('ask_human', { chat: alice.id, ...both })
  await reply(alice, await sees(alice, 'A?'), 'in words')
  await reply(alice, await sees(alice, 'B?'), 'in words')
  expect(await agent.ok('wait_answer', { ask_id: second['ask_id'] })).toMatchObject({ text: { value: 'in words' } })
  expect(await agent.ok('wait_answer', { ask_id: first['ask_id'], wait_seconds: 0 })).toMatchObject({
    status: 'pending',
  })
})

test('[MCP-3.3] calls with the same key are one question, also at the same moment', async ({ agent, alice, mcp }) => {
  const keyed = { chat: alice.id, ...deploy, key: 'deploy-1.8', wait_seconds: 0 }
  const asked = await Promise.all([1, 2, 3].map(() => agent.ok('ask_human', keyed)))
  expect(new Set(asked.map(one => one['ask_id'])).size).toBe(1)
  const question = await sees(alice, deploy.question)
  await press(alice, question, 'Stop')
  expect(await agent.ok('ask_human', { ...keyed, wait_seconds: 45 })).toMatchObject({ label: 'Stop' })
  expect(alice.texts(mcp.toBot).filter(text => text.startsWith(deploy.question))).toHaveLength(1)
  expect(await agent.refused('ask_human', { ...keyed, question: 'Deploy cart 1.9?' })).toMatch(/^key: was already used/)
})

test('[MCP-3.7] a stranger gets a toast with the names, and decides nothing', async ({ world, bob, alice, mcp }) => {
  await comesToBot(bob, mcp.gateway)
  const chat = await groupWith(mcp.gateway, [alice, bob])
  await mcp.restart({ MCP_CHATS: chat })
  const agent = await mcp.agent()
  const { ask_id } = await agent.ok('ask_human', { chat, ...deploy, wait_seconds: 0 })
  const ofBob = await sees(bob, deploy.question)
  expect(await toastOf(bob, await press(bob, ofBob, 'Deploy'))).toBe('That is for alice to decide.')
  await reply(bob, ofBob, 'Deploy')
  expect(await agent.ok('wait_answer', { ask_id, wait_seconds: 0 })).toMatchObject({ status: 'pending' })
  await press(alice, await sees(alice, deploy.question), 'Stop')
  expect(await agent.ok('wait_answer', { ask_id })).toMatchObject({ label: 'Stop', by: { id: alice.id } })
  expect(world.relayUrl).toMatch(/^http/)
})

test.extend('timed', ({ clock }) => clock)(
  '[MCP-3.7] a stranger gets five toasts a minute, and more after it',
  async ({ alice, bob, clock, mcp }) => {
    await comesToBot(bob, mcp.gateway)
    const chat = await groupWith(mcp.gateway, [alice, bob])
    await mcp.restart({ MCP_CHATS: chat })
    const { ask_id } = await (await mcp.agent()).ok('ask_human', { chat, ...deploy, wait_seconds: 0 })
    expect(ask_id).toBeDefined()
    const ofBob = await sees(bob, deploy.question)
    const toasts = () => bob.client.journal.read(0, 1000).filter(({ json }) => json.includes('"toast"')).length
    const presses = mcpLimits.strangerToastsMax + 3
    for (let count = 0; count < presses; count++) await press(bob, ofBob, 'Deploy')
    const { journal } = mcp.gateway.client
    const arrived = () => journal.read(0, 1000).filter(({ json }) => json.includes('"button"')).length
    await expect.poll(arrived, SOON).toBe(presses)
    await expect.poll(() => journal.confirmed(ANSWER_READER), SOON).toBe(journal.newest())
    await expect.poll(toasts, SOON).toBe(mcpLimits.strangerToastsMax)
    clock.advance(mcpLimits.strangerToastsMs)
    const last = await press(bob, ofBob, 'Deploy')
    expect(await passTime(clock, toastOf(bob, last))).toBe('That is for alice to decide.')
    expect(toasts()).toBe(mcpLimits.strangerToastsMax + 1)
  },
)

test('[MCP-3.7] a question that nobody in the chat could decide is refused', async ({ agent, alice, bob, mcp }) => {
  const stranger = await agent.refused('ask_human', { chat: alice.id, ...deploy, from: [bob.id] })
  expect(stranger).toBe(`from: ${bob.id} is not a member of the chat.`)
  await mcp.restart({ BOT_OWNERS: bob.id })
  const later = await mcp.agent()
  expect(await later.refused('ask_human', { chat: alice.id, ...deploy })).toMatch(/^from: is required/)
  expect(await later.ok('ask_human', { chat: alice.id, ...deploy, from: [alice.id], wait_seconds: 0 })).toMatchObject({
    status: 'pending',
  })
})

test('[MCP-3.8] of two answers at the same moment the first counts, and the other person reads it', async ({
  alice,
  bob,
  mcp,
}) => {
  await comesToBot(bob, mcp.gateway)
  const chat = await groupWith(mcp.gateway, [alice, bob])
  await mcp.restart({ MCP_CHATS: chat, BOT_OWNERS: `${alice.id},${bob.id}` })
  const agent = await mcp.agent()
  const { ask_id } = await agent.ok('ask_human', { chat, ...deploy, wait_seconds: 0 })
  const [ofAlice, ofBob] = [await sees(alice, deploy.question), await sees(bob, deploy.question)]
  const [byAlice, byBob] = await Promise.all([press(alice, ofAlice, 'Deploy'), press(bob, ofBob, 'Stop')])
  const { label, by } = await agent.ok('wait_answer', { ask_id })
  const toasts = [await toastOf(alice, byAlice), await toastOf(bob, byBob)]
  const isAlices = by.id === alice.id
  expect(label).toBe(isAlices ? 'Deploy' : 'Stop')
  expect(toasts).toEqual(
    isAlices
      ? ['Your answer: Deploy', 'Already decided: Deploy · alice']
      : ['Already decided: Stop · bob', 'Your answer: Stop'],
  )
  expect(await agent.ok('wait_answer', { ask_id })).toMatchObject({ label, by })
})

test('[MCP-3.8] of two buttons that one person presses at the same moment the first counts', async ({
  agent,
  alice,
}) => {
  const { ask_id } = await agent.ok('ask_human', { chat: alice.id, ...deploy, wait_seconds: 0 })
  const question = await sees(alice, deploy.question)
  const [go, stop] = await Promise.all([press(alice, question, 'Deploy'), press(alice, question, 'Stop')])
  const { label } = await agent.ok('wait_answer', { ask_id })
  const toasts = [await toastOf(alice, go), await toastOf(alice, stop)]
  const late = `Already decided: ${label} · alice`
  expect(toasts).toEqual(label === 'Deploy' ? ['Your answer: Deploy', late] : [late, 'Your answer: Stop'])
  expect(await agent.ok('wait_answer', { ask_id })).toMatchObject({ label })
})

test('[MCP-3.8] of an answer and a withdrawal at the same moment one counts, for every agent and for the person', async ({
  agent,
  alice,
  mcp,
}) => {
  const other = await mcp.agent()
  const ends: unknown[] = []
  for (let round = 0; round < 6; round++) {
    const asked = { chat: alice.id, ...deploy, question: `Round ${round}?` }
    const { ask_id } = await agent.ok('ask_human', { ...asked, wait_seconds: 0 })
    const question = await sees(alice, asked.question)
    const waiting = agent.ok('wait_answer', { ask_id })
    const withdraw = () => other.ok('cancel_ask', { ask_id })
    const early = round % 2 === 0 ? withdraw() : undefined
    const pressed = await press(alice, question, 'Deploy').catch(() => undefined)
    const cancelled = early ?? withdraw()
    const [end, ofOther] = [await waiting, await cancelled]
    expect(ofOther).toEqual(end)
    expect(await other.ok('wait_answer', { ask_id })).toEqual(end)
    if (pressed !== undefined) {
      const toast = await toastOf(alice, pressed)
      expect(toast).toBe(end['status'] === 'answered' ? 'Your answer: Deploy' : 'The question was withdrawn.')
    }
    expect((await seesEnd(alice, question)).text).toContain(end['status'] === 'answered' ? 'Deploy' : 'withdrawn')
    ends.push(end['status'])
  }
  expect(ends).toEqual(ends.map(() => expect.stringMatching(/^(answered|cancelled)$/)))
})

test('[MCP-3.9] the message of a question that is withdrawn says so', async ({ agent, alice }) => {
  const { ask_id } = await agent.ok('ask_human', { chat: alice.id, ...deploy, wait_seconds: 0 })
  const question = await sees(alice, deploy.question)
  expect(await agent.ok('cancel_ask', { ask_id })).toEqual({ status: 'cancelled', ask_id })
  expect((await seesEnd(alice, question)).text).toBe('Deploy cart 1.8?\n\n✖️ The question was withdrawn.')
  expect(await agent.ok('wait_answer', { ask_id })).toEqual({ status: 'cancelled', ask_id })
  expect(await agent.refused('cancel_ask', { ask_id: 'q_aaaaaaaaaaaaaaaa' })).toMatch(/^ask_id:/)
})

test('[MCP-3.9] a press on a screen that does not know of the end changes nothing', async ({ agent, alice, late }) => {
  const { ask_id } = await agent.ok('ask_human', { chat: alice.id, ...deploy, wait_seconds: 0 })
  const pressed = await late(await sees(alice, deploy.question), 'Deploy', () => agent.ok('cancel_ask', { ask_id }))
  expect(await toastOf(alice, pressed)).toBe('The question was withdrawn.')
  expect(await agent.ok('wait_answer', { ask_id })).toEqual({ status: 'cancelled', ask_id })
})

test('[MCP-3.9] an answer that came before stands', async ({ agent, alice }) => {
  const { ask_id } = await agent.ok('ask_human', { chat: alice.id, ...deploy, wait_seconds: 0 })
  await press(alice, await sees(alice, deploy.question), 'Deploy')
  await agent.ok('wait_answer', { ask_id })
  expect(await agent.ok('cancel_ask', { ask_id })).toMatchObject({ status: 'answered', label: 'Deploy' })
})

test('[MCP-3.10] a question to a chat that the bot has left is refused, and its key stays free', async ({
  alice,
  bob,
  mcp,
}) => {
  await comesToBot(bob, mcp.gateway)
  const chat = await groupWith(mcp.gateway, [alice, bob])
  await mcp.restart({ MCP_CHATS: `${chat},${bob.id}` })
  const agent = await mcp.agent()
  const asked = { chat, ...deploy, key: 'once', wait_seconds: 0 }
  await mcp.gateway.api('POST', `/v1/chats/${chat}/leave`)
  expect(await agent.refused('ask_human', asked)).toBe('This account is no longer in the chat.')
  const elsewhere = { ...asked, chat: bob.id, from: [bob.id] }
  expect(await agent.ok('ask_human', elsewhere)).toMatchObject({ status: 'pending' })
  expect(bob.texts(mcp.toBot)).toBeDefined()
  await expect.poll(() => bob.texts(mcp.toBot).filter(text => text === deploy.question), SOON).toHaveLength(1)
})

test('[MCP-3.12] a reply that its writer deletes is erased from the answer', async ({ agent, alice, mcp }) => {
  const asked = agent.ok('ask_human', { chat: alice.id, question: 'Password?' })
  const said = await reply(alice, await sees(alice, 'Password?'), 'hunter2')
  const { ask_id } = await asked
  await alice.client.messages.delete(mcp.toBot, { message: said.id, for: 'all' }, { timeoutMs: 60_000 })
  const value = async () => (await agent.ok('wait_answer', { ask_id }))['text'].value
  await expect.poll(value, SOON).toBe('')
})
