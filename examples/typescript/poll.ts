// Poll: "/poll Lunch? Pizza, Soup" asks, and when the poll is closed, after an hour or by /close in reply to it, the
// bot posts the result.
import { call, handleUpdates, type Message, type Person } from './bot.ts'

const OPEN_MS = Number(process.env['OPEN_MINUTES'] ?? 60) * 60_000

async function answerCommand(message: Message, { id, chat_id }: { id: number; chat_id: string }): Promise<void> {
  const { text = '', reply_to, ts } = message
  const key = `command-${id}`
  // In a group people may address one bot: /poll@Bot.
  const [, question, list = ''] = /^\/poll\S*\s+(.*?\?)\s*(.*)$/s.exec(text) ?? []
  const options = list.split(/\s*[,\n]\s*/).filter(option => option !== '')
  if (text.startsWith('/close') && reply_to !== undefined)
    await call(`chats/${chat_id}/messages/${reply_to}/close`, { key, body: {} })
  else if (question !== undefined && options.length > 1)
    // An hour from the question, not from now: under one key the body must be the same, whenever it is sent.
    await call(`chats/${chat_id}/polls`, { key, body: { question, options, close_ts: ts + OPEN_MS } })
  else if (/^\/(poll|start)\b/.test(text))
    await call(`chats/${chat_id}/messages`, { key, body: { text: 'Ask like this: /poll Lunch? Pizza, Soup' } })
}

async function tellResult({ id, poll }: Message, chat_id: string): Promise<void> {
  const { options = [] } = poll ?? {}
  const most = Math.max(...options.map(({ votes }) => votes))
  const best = options.filter(({ votes }) => votes === most).map(({ text }) => text)
  const text = most > 0 ? `${best.join(' and ')}, votes: ${most}.` : 'Nobody has voted.'
  // Once for each poll, whatever else happens to it.
  await call(`chats/${chat_id}/messages`, { key: `result-${id}`, body: { text, reply_to: id } })
}

const me = await call<Person>('me')
const commands = [
  { name: 'poll', description: 'Asks everybody here', args: 'Lunch? Pizza, Soup' },
  { name: 'close', description: 'In reply to a poll: ends it' },
]
await call('me/commands', { method: 'PUT', body: { commands } })
await handleUpdates(async update => {
  if (update.type === 'message' && !update.message.from.bot) await answerCommand(update.message, update)
  // Updates about polls of other people arrive, too.
  if (update.type === 'poll' && update.message.poll?.closed && update.message.from.id === me.id)
    await tellResult(update.message, update.chat_id)
})
