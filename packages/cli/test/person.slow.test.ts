// `postern person` as a process: commands in, answers and events out.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testInOneWorld } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { png } from './png.ts'
import { Postern, run } from './process.ts'
import { ScriptedPerson } from './scripted-person.ts'

const test = testInOneWorld.extend('person', ({ world }) => (name: string, ...options: string[]) => {
  const data = join(world.directory, name)
  return new ScriptedPerson(['--relay', world.relayUrl, '--data', data, '--name', name, ...options])
})

test('[CLI-2.4] ready comes first, and answers carry the id of their command', async ({ person }) => {
  await using alice = person('first')
  const me = await alice.ready()
  expect(alice.lines[0]).toEqual({ event: 'ready', me: { id: expect.stringMatching(/^[a-z2-7]{32}$/), name: 'first' } })
  expect(await alice.do('me')).toEqual({
    ...me,
    about: '',
    commands: [],
    invite_url: expect.stringContaining(`#i/${me.id}/`),
  })
  alice.write('{"id":{"any":["thing"]},"do":"chats"}')
  await alice.line(line => JSON.stringify(line) === '{"id":{"any":["thing"]},"ok":[]}')
})

test('[CLI-2.13] both sides verify the same number, and a new invite link takes the place of the old one', async ({
  person,
}) => {
  await using alice = person('verifying')
  await using bob = person('verified', '--requests', 'ask')
  const [{ id: aliceId }, { id: bobId }] = [await alice.ready(), await bob.ready()]
  const { account, number, qr } = await alice.do('verify', { account: bobId })
  expect(account).toBe(bobId)
  expect(await bob.do('verify', { account: aliceId })).toEqual({ account: aliceId, number, qr, verified: false })
  expect(await alice.ask('verify', { account: 'a'.repeat(32) })).toMatchObject({ code: 'not_found' })
  const me = await bob.do('me')
  const renewed = await bob.do('invite')
  expect(renewed).toEqual({ ...me, invite_url: renewed['invite_url'] })
  expect(renewed['invite_url']).not.toBe(me['invite_url'])
  expect(await bob.do('me')).toEqual(renewed)
})

test('[CLI-2.20] what a person thinks of others is remembered: verified, declined, blocked', async ({ person }) => {
  await using alice = person('judging', '--requests', 'ask')
  await using bob = person('judged')
  const [{ id: aliceId }, { id: bobId }] = [await alice.ready(), await bob.ready()]
  expect(await alice.do('verify', { account: bobId, mark: 'verified' })).toMatchObject({ verified: true })
  expect(await alice.do('profile', { account: bobId })).toMatchObject({ verified: true })
  await bob.do('open', { account: aliceId, text: 'hello' })
  await alice.line(({ event, chat }) => event === 'chat' && (chat as { id: string }).id === bobId)
  expect(await alice.do('decline', { chat: bobId })).toEqual({})
  expect(await alice.do('chats')).toEqual([])
  expect(await alice.ask('decline', { chat: bobId })).toMatchObject({ code: 'not_found' })
  await alice.do('block', { account: bobId })
  expect(await alice.do('blocked')).toEqual([{ id: bobId, name: 'judged' }])
  expect(await alice.ask('send', { chat: bobId, text: 'no' })).toMatchObject({ code: 'bad_request' })
  await alice.do('unblock', { account: bobId })
  expect(await alice.do('blocked')).toEqual([])
})

test('[CLI-2.2] what is no command is answered by an error, and the next line is heard', async ({ person }) => {
  await using alice = person('wrong')
  await alice.ready()
  alice.write('{"id":1,')
  alice.write('[1]')
  alice.write('x'.repeat(1024 * 1024 + 1))
  alice.write('{"do":"me"}')
  await alice.line(line => line.ok !== undefined)
  expect(alice.lines.slice(1, 4)).toEqual([
    { error: 'line: must be valid JSON.', code: 'bad_request' },
    { error: 'line: must be a JSON object.', code: 'bad_request' },
    { error: 'line: must have at most 1048576 bytes.', code: 'bad_request' },
  ])
})

test('[CLI-2.4] errors have the codes of the HTTP API and name the field', async ({ world, person }) => {
  await using alice = person('errors')
  await alice.ready()
  expect(await alice.ask('fly')).toMatchObject({ code: 'bad_request', error: expect.stringMatching(/^do: /) })
  expect(await alice.ask('send', { chat: 'x', text: 'a' })).toMatchObject({ code: 'not_found' })
  expect(await alice.ask('send', { chat: 'a'.repeat(32), text: 'a' })).toMatchObject({ code: 'not_found' })
  expect(await alice.ask('send', { chat: 'a'.repeat(32) })).toMatchObject({
    code: 'bad_request',
    error: expect.stringMatching(/^text: /),
  })
  expect(await alice.ask('open', {})).toMatchObject({ code: 'bad_request', error: expect.stringMatching(/^invite: /) })
  expect(await alice.ask('open', { invite: world.relayUrl })).toMatchObject({ code: 'bad_request' })
  expect(await alice.ask('messages', { chat: 'a'.repeat(32), limit: 0 })).toMatchObject({ code: 'bad_request' })
})

test('[CLI-2.4] two people talk: open, send, messages, chats, profile', async ({ person }) => {
  await using alice = person('alice')
  await using bob = person('bob')
  const [aliceMe, bobMe] = [await alice.ready(), await bob.ready()]
  const { invite_url: invite } = await bob.do('me')
  const chat = await alice.do('open', { invite, text: 'hello bob' })
  expect(chat).toMatchObject({ id: bobMe.id, type: 'private', state: 'active' })
  const heard = await bob.line(line => line.event === 'message')
  expect(heard).toMatchObject({
    event: 'message',
    chat_id: aliceMe.id,
    message: { from: { id: aliceMe.id, name: 'alice' }, text: 'hello bob' },
  })
  const question = bob.messages()[0]
  const answer = await bob.do('send', { chat: aliceMe.id, text: 'hello alice', reply_to: question?.id })
  expect(answer).toMatchObject({ text: 'hello alice', reply_to: question?.id, from: { name: 'bob' } })
  await alice.line(line => line.event === 'message')
  expect((await alice.do('messages', { chat: bobMe.id })) as unknown).toMatchObject([
    { text: 'hello bob' },
    { text: 'hello alice', id: answer['id'] },
  ])
  expect((await bob.do('chats')) as unknown).toMatchObject([{ id: aliceMe.id, name: 'alice' }])
  expect(await alice.do('profile', { account: bobMe.id })).toMatchObject({ id: bobMe.id, name: 'bob', bot: false })
})

test('[CLI-2.25] open by a start link sends /start, and the bot reads the payload', async ({ world, person }) => {
  const bot = await world.person('starting bot', { bot: true })
  const { id: link, url } = await bot.client.invites.create({ payload: 'ticket-4711' })
  await using alice = person('starting')
  const { id } = await alice.ready()
  expect(await alice.do('open', { invite: url, text: 'and a word' })).toMatchObject({ id: bot.id, state: 'active' })
  const { message } = await bot.next('message')
  expect(message).toMatchObject({ from: { id }, text: '/start ticket-4711', invite: { id: link } })
  await bot.hears('and a word')
  expect((await alice.do('messages', { chat: bot.id })) as unknown).toMatchObject([
    { text: '/start' },
    { text: 'and a word' },
  ])
  const { url: second } = await bot.client.invites.create({ payload: 'ticket-4712' })
  await alice.do('open', { invite: second })
  await bot.hears('/start ticket-4712')
})

test('[CLI-2.27] a person who is declined learns it, and forgets what was asked for', async ({ person }) => {
  await using erin = person('declining')
  await using heidi = person('declined')
  const [, { id: account }] = [await erin.ready(), await heidi.ready()]
  const { id: chat } = await erin.do('group', { name: 'Team', members: [] })
  const { url, token } = await erin.do('link', { chat })
  await heidi.do('ask', { link: url })
  await erin.line(line => line.event === 'join_request')
  expect(await erin.do('answer', { chat, account, with: 'decline' })).toEqual({})
  expect(await erin.do('requests', { chat })).toEqual([])
  await expect.poll(() => heidi.do('asked')).toMatchObject([{ token, state: 'declined' }])
  const [{ account: admin }] = (await heidi.do('asked')) as unknown as [{ account: string }]
  expect(await heidi.do('unask', { account: admin, token })).toEqual({})
  expect(await heidi.do('asked')).toEqual([])
})

test('[CLI-2.3] texts that are written without waiting arrive in order', async ({ person }) => {
  await using carol = person('carol')
  await using dave = person('dave')
  await carol.ready()
  const { id: chat } = await dave.ready()
  const texts = Array.from({ length: 50 }, (_, at) => `text ${at}`)
  const sent = texts.map(text => carol.do('send', { chat, text }))
  await Promise.all(sent)
  await dave.line(() => dave.messages().length === texts.length)
  expect(dave.messages().map(message => message.text)).toEqual(texts)
})

test('[CLI-2.4, CLI-2.21, CLI-2.24, CLI-2.27] a group is made, grows, also by a link, is renamed, gets a picture and another admin, and is left', async ({
  world,
  person,
}) => {
  await using erin = person('erin')
  await using frank = person('frank')
  await using grace = person('grace')
  const [, frankMe, graceMe] = [await erin.ready(), await frank.ready(), await grace.ready()]
  const group = await erin.do('group', { name: 'Team', members: [frankMe.id] })
  expect(group).toMatchObject({ type: 'group', name: 'Team' })
  const chat = group['id']
  await frank.line(line => line.event === 'chat' && line['chat_id'] === chat)
  const { url, token } = await erin.do('link', { chat })
  expect(await erin.do('links', { chat })).toMatchObject([{ url, token }])
  expect(await frank.ask('link', { chat })).toMatchObject({ code: 'bad_request' })
  expect(await grace.do('ask', { link: url })).toMatchObject({ title: 'Team', state: 'waiting' })
  const from = { id: graceMe.id, name: 'grace' }
  const { join_request: request } = await erin.line(line => line.event === 'join_request' && line['chat_id'] === chat)
  expect(request).toEqual({ from })
  expect(await erin.do('requests', { chat })).toMatchObject([{ from }])
  expect(await grace.do('asked')).toMatchObject([{ token, state: 'waiting' }])
  const added = await erin.do('answer', { chat, account: graceMe.id, with: 'add' })
  expect(added).toHaveProperty('members.length', 3)
  await grace.line(line => line.event === 'chat' && line['chat_id'] === chat)
  expect(await grace.do('asked')).toEqual([])
  expect(await erin.do('revoke', { chat, token })).toEqual({})
  expect(await erin.ask('answer', { chat, account: graceMe.id, with: 'decline' })).toMatchObject({ code: 'not_found' })
  expect(await grace.ask('ask', { link: 'https://relay.example/' })).toMatchObject({ code: 'bad_request' })
  expect(await erin.do('rename', { chat, name: 'Crew' })).toMatchObject({ name: 'Crew' })
  const path = join(world.directory, 'harbour.png')
  writeFileSync(path, png(600, 400))
  expect(await erin.do('picture', { chat, path })).toMatchObject({ name: 'Crew' })
  expect(await erin.do('picture', { chat, path: null })).toMatchObject({ name: 'Crew' })
  for (const removed of [false, true])
    await frank.line(({ notice }) => (notice as { removed?: boolean } | undefined)?.removed === removed)
  writeFileSync(path, 'no picture')
  expect(await erin.ask('picture', { chat, path })).toMatchObject({
    code: 'bad_request',
    error: expect.stringContaining('path'),
  })
  await erin.do('send', { chat, text: 'hello crew' })
  for (const member of [frank, grace])
    await member.line(() => member.messages().some(({ text }) => text === 'hello crew'))
  expect(await frank.ask('admin', { chat, account: frankMe.id, role: 'admin' })).toMatchObject({ code: 'bad_request' })
  // Her name comes with her first message, which may be later than the answer to `add`.
  await expect.poll(() => erin.do('profile', { account: graceMe.id })).toMatchObject({ name: 'grace' })
  const named = await erin.do('admin', { chat, account: graceMe.id, role: 'admin' })
  expect(named['members']).toContainEqual({ id: graceMe.id, name: 'grace', bot: false, admin: true })
  const reverted = await erin.do('admin', { chat, account: graceMe.id, role: 'member' })
  expect(reverted['members']).toContainEqual({ id: graceMe.id, name: 'grace', bot: false })
  expect(await frank.do('leave', { chat })).toEqual({})
  expect(await erin.do('remove', { chat, members: [graceMe.id] })).toMatchObject({ name: 'Crew' })
  expect(await frank.ask('send', { chat, text: 'still here' })).toMatchObject({ code: 'bad_request' })
})

test('[CLI-2.4] messages live: edit, react, read, receipts, timer, delete, call, paging', async ({ person }) => {
  await using nina = person('nina')
  await using otto = person('otto')
  const [ninaMe, ottoMe] = [await nina.ready(), await otto.ready()]
  const chat = ottoMe.id
  const { id: message } = await nina.do('send', { chat, text: 'frist' })
  const heard = async (
    who: ScriptedPerson,
    event: string,
    is: (line: Record<string, unknown>) => boolean = () => true,
  ) => (await who.line(line => line.event === event && is(line)))[event]
  await nina.line(line => line.event === 'receipt')
  expect(await heard(nina, 'receipt')).toEqual({
    message_id: message,
    from: { id: chat, name: 'otto' },
    status: 'delivered',
  })

  expect(await nina.do('edit', { chat, message, text: 'first' })).toMatchObject({ id: message, text: 'first' })
  expect((await otto.line(line => line.event === 'edited'))['message']).toMatchObject({ id: message, text: 'first' })
  expect(await otto.do('react', { chat: ninaMe.id, message, emoji: '🎉' })).toEqual({})
  expect(await heard(nina, 'reaction')).toMatchObject({ message_id: message, emoji: '🎉', from: { name: 'otto' } })
  expect(await otto.do('react', { chat: ninaMe.id, message, emoji: '' })).toEqual({})
  const isTaken = (line: Record<string, unknown>) => (line['reaction'] as { emoji: string }).emoji === ''
  expect(await heard(nina, 'reaction', isTaken)).toMatchObject({ message_id: message })
  expect(await otto.ask('react', { chat: ninaMe.id, message, emoji: 'no emoji' })).toMatchObject({
    code: 'bad_request',
  })

  expect(await otto.do('read', { chat: ninaMe.id, up_to: message })).toEqual({})
  const isRead = (line: Record<string, unknown>) => (line['receipt'] as { status: string }).status === 'read'
  expect(await heard(nina, 'receipt', isRead)).toMatchObject({ message_id: message })
  expect(await nina.do('timer', { chat, ms: 3_600_000 })).toMatchObject({ id: chat, timer_ms: 3_600_000 })
  expect(await nina.do('timer', { chat, ms: 0 })).toMatchObject({ timer_ms: 0 })
  expect(await nina.ask('edit', { chat, message: 'x', text: 'y' })).toMatchObject({ code: 'not_found' })

  for (const text of ['two', 'three']) await nina.do('send', { chat, text })
  const [{ ts }] = (await nina.do('messages', { chat, limit: 1 })) as unknown as [{ ts: number }]
  const page = (await nina.do('messages', { chat, before: ts, limit: 1 })) as unknown as { text: string }[]
  expect(page.map(({ text }) => text)).toEqual(['two'])
  const timer = (ms: number) => ({ kind: 'notice', notice: { code: 'timer', from: { name: 'nina' }, timer_ms: ms } })
  const said = (text: string) => ({ kind: 'message', message: { text } })
  expect(await nina.do('history', { chat, limit: 4 })).toMatchObject({
    rows: [timer(3_600_000), timer(0), said('two'), said('three')],
    hasOlder: true,
    hasNewer: false,
  })
  expect(await otto.ask('delete', { chat: ninaMe.id, message })).toMatchObject({ code: 'bad_request' })
  expect(await nina.do('delete', { chat, message })).toEqual({})
  expect(await heard(otto, 'deleted')).toMatchObject({ message_id: message })
  expect(await nina.do('call', { chat })).toEqual({})
  expect(await heard(otto, 'call')).toEqual({ from: { id: ninaMe.id, name: 'nina' }, state: 'ringing' })
})

test('[CLI-2.4] who asks first lets nobody in before accept', async ({ person }) => {
  await using heidi = person('heidi', '--requests', 'ask')
  await using ivan = person('ivan')
  const [heidiMe, ivanMe] = [await heidi.ready(), await ivan.ready()]
  await ivan.do('send', { chat: heidiMe.id, text: 'may I?' })
  expect((await heidi.line(line => line.event === 'chat'))['chat']).toMatchObject({ id: ivanMe.id, state: 'request' })
  expect(await heidi.ask('send', { chat: ivanMe.id, text: 'no' })).toMatchObject({ code: 'bad_request' })
  expect(heidi.messages()).toEqual([])
  expect(await heidi.do('accept', { chat: ivanMe.id })).toMatchObject({ state: 'active' })
  await heidi.line(line => line.event === 'message')
  expect(heidi.messages()[0]).toMatchObject({ text: 'may I?' })
})

test('[CLI-2.5] after a kill events are repeated at most, and none is lost', async ({ person }) => {
  const judy = person('judy')
  await using ken = person('ken')
  const { id: chat } = await judy.ready()
  await ken.ready()
  const seen: string[] = []
  let killed = judy
  for (let round = 0; round < 4; round++) {
    const sending = Array.from({ length: 10 }, (_, at) => ken.do('send', { chat, text: `${round}.${at}` }))
    const wanted = round * 3
    await killed.line(() => killed.messages().length > wanted)
    await killed.end('SIGKILL')
    seen.push(...killed.messages().map(message => message.text ?? ''))
    await Promise.all(sending)
    killed = person('judy')
    await killed.ready()
  }
  await killed.line(() => killed.messages().some(message => message.text === '3.9') || seen.includes('3.9'))
  seen.push(...killed.messages().map(message => message.text ?? ''))
  await killed.end('SIGTERM')
  const all = [0, 1, 2, 3].flatMap(round => Array.from({ length: 10 }, (_, at) => `${round}.${at}`))
  expect([...new Set(seen)]).toEqual(all)
})

test('[CLI-2.6] at the end of its input a person answers what is under way, exits 0, and stays who it was', async ({
  world,
  person,
}) => {
  await using liam = person('liam')
  await using mona = person('mona')
  const [liamMe, monaMe] = [await liam.ready(), await mona.ready()]
  liam.write(JSON.stringify({ id: 'last', do: 'send', chat: monaMe.id, text: 'goodbye' }))
  expect(await liam.end('input')).toBe(0)
  expect(liam.lines.at(-1)).toMatchObject({ id: 'last', ok: { text: 'goodbye' } })
  expect(liam.stderr).toBe('')
  await using again = new ScriptedPerson(['--data', join(world.directory, 'liam')])
  expect(await again.ready()).toEqual(liamMe)
  expect(await again.end('SIGTERM')).toBe(0)
})

test('[CLI-2.6] a person whose relay is away says so, and ends at a signal', async ({ world }) => {
  await using lost = new Postern([
    'person',
    ...['--relay', 'http://127.0.0.1:9', '--data', join(world.directory, 'lost'), '--name', 'lost'],
  ])
  await expect.poll(() => lost.stderr).toBe('Waiting for the relay at http://127.0.0.1:9\n')
  lost.signal('SIGINT')
  expect([await lost.exited, lost.stdout]).toEqual([0, ''])
})

test('[CLI-1.1] a first start without a name makes nobody', async ({ world }) => {
  const { code, stderr } = await run(['person', '--relay', world.relayUrl, '--data', join(world.directory, 'nobody')])
  expect([code, stderr.split('\n')[0]]).toEqual([2, 'postern person: --name is required at the first start.'])
})
