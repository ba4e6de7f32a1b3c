// The demo's bot program: repeats the texts that it receives, and shows what a bot can do. It uses the gateway's HTTP
// API and nothing else of ours.
import { setTimeout as wait } from 'node:timers/promises'
import {
  type Api,
  askPoll,
  type BotButton,
  type BotCommand,
  type BotMessage,
  type BotPerson,
  type BotPress,
  type BotProfile,
  type BotTurn,
  type BotUpdate,
  call,
  edit,
  fetchFile,
  getUpdates,
  say,
  sendFile,
  toast,
} from './bot-calls.ts'
import { drawPhoto } from './demo-photo.ts'

const RETRY_MS = 1000
const QUESTION_CHARS_MAX = 300

const about = 'I say back whatever you say, and show what a bot can do.'
const commands: BotCommand[] = [
  { name: 'buttons', description: 'Buttons under a message' },
  { name: 'poll', description: 'A poll about anything', args: 'your question' },
  { name: 'photo', description: 'A photo, drawn for you' },
  { name: 'help', description: 'What I can do' },
]

type OnAnswer = (to: BotPerson, chat: string) => void

/** Until the signal, which ends the poll for updates; an answer in progress is still sent. */
export async function runDemoBot(api: Api, stop: AbortSignal, onAnswer: OnAnswer): Promise<void> {
  let me: BotProfile | undefined
  let offset = 0
  while (!stop.aborted) {
    try {
      me ??= await introduce(api)
      for (const update of await getUpdates(api, offset, stop)) {
        const answered = await answer({ api, chat: update.chat_id, update: update.id }, update, me)
        if (answered) onAnswer(answered, update.chat_id)
        // The next request confirms the updates below the offset: an update is done when it has been answered.
        offset = update.id + 1
      }
    } catch {
      await wait(RETRY_MS, undefined, { signal: stop }).catch(() => undefined)
    }
  }
  // Without a last request, answered updates would come again, and be answered twice.
  if (offset > 0) await call(api, `/updates?offset=${offset}&limit=1`)
}

/** Sets the description and the menu of commands, which people see before they write. */
async function introduce(api: Api): Promise<BotProfile> {
  const me = (await (await call(api, '/me')).json()) as BotProfile
  if (me.about !== about) await call(api, '/me', { method: 'PATCH', body: { about } })
  if (JSON.stringify(me.commands) !== JSON.stringify(commands))
    await call(api, '/me/commands', { method: 'PUT', body: { commands } })
  return me
}

/** The person that it has answered; undefined if there was no answer, or it was refused. */
async function answer(
  turn: BotTurn,
  { type, message, button }: BotUpdate,
  me: BotProfile,
): Promise<BotPerson | undefined> {
  if (type === 'message' && message && isForMe(turn, message, me)) {
    const done = await answerMessage(turn, message)
    return done?.ok ? message.from : undefined
  }
  if (type === 'button' && button) return (await answerPress(turn, button)).ok ? button.from : undefined
  return undefined
}

/** In a group people talk to each other: there it answers only commands and mentions of itself. */
function isForMe({ chat }: BotTurn, { from, text = '', mentions = [] }: BotMessage, me: BotProfile): boolean {
  return chat === from.id || text.startsWith('/') || mentions.some(({ user }) => user === me.id)
}

async function answerMessage(turn: BotTurn, message: BotMessage): Promise<Response | undefined> {
  const { id, text, file } = message
  if (file) {
    const bytes = await fetchFile(turn, id)
    return await sendFile(turn, { file: bytes, name: file.name, kind: file.kind, caption: text ?? '', reply_to: id })
  }
  if (text === undefined) return undefined
  const [, name = '', words = ''] = /^\/(\w+)\s*([^]*)$/.exec(withoutMentions(message)) ?? []
  const run = Object.hasOwn(runs, name) ? runs[name] : undefined
  return run ? await run(turn, words) : await say(turn, { text, reply_to: id })
}

/** In a group a command names its bot: before it, after it, or the command is the mention itself. */
function withoutMentions({ text = '', mentions = [] }: BotMessage): string {
  const names = mentions.map(({ offset, length }) => text.slice(offset, offset + length))
  return names.reduce((rest, name) => rest.replace(name, commandIn(name)), text).trim()
}

const commandIn = (mention: string): string => /^\/\w+/.exec(mention)?.[0] ?? ''

const runs: Record<string, (turn: BotTurn, words: string) => Promise<Response>> = {
  start: turn => say(turn, { text: `Hello! ${about}\n\nTry one of these, or send me a photo.`, buttons: menu }),
  help: turn => say(turn, { text: commands.map(commandLine).join('\n'), buttons: menu }),
  buttons: turn => say(turn, { text: 'Nobody has counted yet.', buttons: counter(0) }),
  poll: (turn, words) => {
    const question = [...words].slice(0, QUESTION_CHARS_MAX).join('') || 'Tea or coffee?'
    return askPoll(turn, { question, options: words === '' ? ['Tea', 'Coffee', 'Neither'] : ['Yes', 'No'] })
  },
  photo: turn =>
    sendFile(turn, { file: drawPhoto(turn.update), name: 'evening.png', kind: 'photo', caption: 'Drawn just now.' }),
}

const commandLine = ({ name, description, args }: BotCommand): string =>
  `/${name}${args === undefined ? '' : ` <${args}>`}: ${description}`

/** The data of a button comes back when it is pressed: here the command to run, or the number to count to. */
const menu: BotButton[][] = [
  [
    { text: 'Buttons', data: 'run buttons' },
    { text: 'Poll', data: 'run poll' },
  ],
  [{ text: 'Photo', data: 'run photo' }],
]

const counter = (count: number): BotButton[][] => [
  [
    { text: 'Count', data: `count ${count + 1}` },
    { text: 'Whisper', data: 'whisper' },
  ],
  [{ text: 'How it is encrypted', url: 'https://www.rfc-editor.org/info/rfc9420' }],
]

async function answerPress(turn: BotTurn, { data, message_id, press_id, from }: BotPress): Promise<Response> {
  const [verb, what = ''] = data.split(' ')
  const run = verb === 'run' && Object.hasOwn(runs, what) ? runs[what] : undefined
  if (run) return await run(turn, '')
  const count = Number(what)
  if (verb !== 'count' || !Number.isSafeInteger(count))
    return await toast(turn, press_id, `Only you see this, ${from.name}.`)
  return await edit(turn, message_id, { text: `Counted to ${count}.`, buttons: counter(count) })
}
