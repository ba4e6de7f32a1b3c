// Methods for polls.
import { buttonsOfPage, keyboardOf } from '../keyboards.ts'
import type { Parameters } from '../parameters.ts'
import type { MethodInput } from '../telegram-context.ts'
import { badRequest } from '../telegram-error.ts'
import { shownPoll } from '../views/view.ts'
import { chatOf, type MethodParts, type Methods, namedMessage, replyOf, silentOf, wordsIn } from './method.ts'

async function sendPoll({ parameters, key }: MethodInput, parts: MethodParts): Promise<object> {
  if (parameters.text('type') === 'quiz') throw badRequest('quizzes are not supported by this gateway')
  const chat = chatOf(parameters, parts)
  const { text: question } = wordsIn(parameters, parts, {
    text: parameters.need('question'),
    entities: 'question_entities',
  })
  const rows = keyboardOf(parameters)
  const closesAtMs = closeTime(parameters, parts.context.clock.nowMs())
  const body = {
    question,
    options: optionsOf(parameters),
    multiple: parameters.flag('allows_multiple_answers'),
    ...(closesAtMs !== undefined && { close_ts: closesAtMs }),
    ...replyOf(parameters, parts, chat),
    ...silentOf(parameters),
    ...(rows && rows.length > 0 && { buttons: buttonsOfPage(rows, 0) }),
  }
  const sent = await parts.context.call('sendPoll', { params: { chat }, body, key })
  if (rows) await parts.views.keyboards.keep(sent, rows)
  return await parts.views.message(sent)
}

function closeTime(parameters: Parameters, nowMs: number): number | undefined {
  const [date, period] = [parameters.integer('close_date'), parameters.integer('open_period')]
  if (date !== undefined && date > 0) return date * 1000
  return period !== undefined && period > 0 ? nowMs + period * 1000 : undefined
}

const optionsOf = (parameters: Parameters): string[] =>
  (parameters.list('options') ?? []).map((option, at) => {
    const text: unknown = typeof option === 'object' && option !== null && 'text' in option ? option.text : option
    if (typeof text !== 'string') throw badRequest(`options[${at}] must be a text`)
    return text
  })

export const pollMethods: Methods = {
  sendPoll: {
    fits: 'partly',
    note: '2 to 12 options. Polls are never anonymous; quizzes are answered with 400.',
    run: sendPoll,
  },
  stopPoll: {
    fits: 'full',
    note: '`reply_markup` is ignored.',
    run: async ({ parameters, key }, parts) => {
      const { chat_id: chat, id } = namedMessage(parameters, parts, 'stop')
      await parts.context.call('closePoll', { params: { chat, msg: id }, key })
      const message = await parts.context.call('getMessage', { params: { chat, msg: id } })
      if (!message.poll) throw badRequest('message with poll to stop not found')
      return shownPoll(message, { ...message.poll, closed: true })
    },
  },
}
