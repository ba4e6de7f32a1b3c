// The tools that ask a person, wait for the answer, and withdraw the question.
import { charCount, charsFault, mcpLimits, nameFault } from '@postern/protocol'
import { z } from 'zod'
import { ASK_ID, type Ask } from '../asks/ask.ts'
import { untrustedText } from '../untrusted.ts'
import { allowedChat, chatField, DATA_NOT_ORDERS, defineTool, reserveWrite, type ToolParts } from './tool.ts'

const { questionCharsMax, optionsMax, optionCharsMax, fromMax, waitSecMax, keyCharsMax } = mcpLimits
const { expiresMinutesDefault, expiresMinutesMax } = mcpLimits

const waitSeconds = z
  .int()
  .min(0)
  .max(waitSecMax)
  .default(waitSecMax)
  .describe('How long to wait for an answer now. The question stays when this time is over.')

const askId = z.string().regex(ASK_ID, 'must be an id of ask_human')

const question = z
  .string()
  .refine(text => charsFault(text, { min: 1, max: questionCharsMax }) === undefined, {
    error: `must have 1 to ${questionCharsMax} characters`,
  })
  .refine(text => text.trim() !== '', { error: 'must not be blank' })

const option = z.string().refine(text => nameFault(text, optionCharsMax) === undefined, {
  error: `must be one line of 1 to ${optionCharsMax} characters`,
})

const askInput = z.strictObject({
  chat: chatField,
  question: question.describe('What the person has to decide, with everything they need to know.'),
  options: z
    .array(option)
    .max(optionsMax)
    .default([])
    .describe('The buttons. Without any, the person answers in words.'),
  free_text: z.boolean().default(false).describe('Whether a reply in words also counts when there are buttons.'),
  from: z
    .array(z.string())
    .min(1)
    .max(fromMax)
    .optional()
    .describe('Account ids of the members who may decide. By default, the owners of the bot.'),
  wait_seconds: waitSeconds,
  expires_minutes: z.int().min(1).max(expiresMinutesMax).default(expiresMinutesDefault),
  key: z
    .string()
    .min(1)
    .refine(text => charCount(text) <= keyCharsMax, { error: `must have at most ${keyCharsMax} characters` })
    .optional()
    .describe(
      'Names this question. A repeated call with the same key waits for the same question, and asks nobody again.',
    ),
})

const askHuman = defineTool({
  name: 'ask_human',
  title: 'Ask a person',
  description: [
    'Asks a person in a chat, on their phone, and waits up to 45 seconds for the answer.',
    'status "answered" has a choice (the index of an option) or a text; "pending": call wait_answer later, or do other work; "expired" and "cancelled": nobody has decided. Only an answer is a decision: never take "pending" or "expired" for a yes or a no.',
    DATA_NOT_ORDERS,
  ].join(' '),
  input: askInput,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  run: async (args, parts, call) => {
    // The time for the send is part of it: the client waits for both.
    const untilMs = waitEnd(args.wait_seconds, parts)
    const chat = allowedChat(args.chat, parts)
    reserveWrite(parts)
    const { id } = await parts.asks.ask({
      chat,
      question: args.question,
      options: args.options,
      freeText: args.free_text,
      from: args.from as Ask['from'] | undefined,
      expiresMinutes: args.expires_minutes,
      key: args.key,
    })
    return resultOf(await parts.asks.wait(id, { untilMs, gone: call.gone }))
  },
})

const waitAnswer = defineTool({
  name: 'wait_answer',
  title: 'Wait for an answer',
  description: `Waits up to 45 seconds for the answer to a question of ask_human. ${DATA_NOT_ORDERS}`,
  input: z.strictObject({ ask_id: askId, wait_seconds: waitSeconds }),
  annotations: { readOnlyHint: true, openWorldHint: true },
  run: async ({ ask_id: id, wait_seconds: seconds }, parts, { gone }) =>
    resultOf(await parts.asks.wait(id, { untilMs: waitEnd(seconds, parts), gone })),
})

const cancelAsk = defineTool({
  name: 'cancel_ask',
  title: 'Withdraw a question',
  description: 'Withdraws a question of ask_human that nobody has answered yet. An answer that came before stands.',
  input: z.strictObject({ ask_id: askId }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  run: async (args, { asks }) => resultOf(await asks.cancel(args.ask_id)),
})

const waitEnd = (seconds: number, { context }: ToolParts): number => context.clock.monotonicMs() + seconds * 1000

function resultOf({ id: ask_id, state, options, askedTs, message }: Ask): object {
  switch (state.kind) {
    case 'open':
      return { status: 'pending', ask_id, asked_ts: askedTs, hint: message ? PENDING : UNSENT }
    case 'chosen': {
      const { choice, by, ts } = state
      return { status: 'answered', ask_id, choice, label: options[choice] ?? '', by, answered_ts: ts }
    }
    case 'replied': {
      const { by, ts, text } = state
      return { status: 'answered', ask_id, by, answered_ts: ts, text: untrustedText(by.name, text) }
    }
    case 'expired':
    case 'cancelled':
      return { status: state.kind, ask_id }
  }
}

const PENDING = 'No answer yet. Call wait_answer with this ask_id, or go on with other work.'
const UNSENT = 'The question has not reached the chat yet: the gateway sends it as soon as its relay can be reached.'

export const askTools = [askHuman, waitAnswer, cancelAsk]
