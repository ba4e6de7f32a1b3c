// Incoming hooks in requests and answers of the API.

import { hookLimits } from '@postern/protocol'
import { z } from 'zod'
import { namedChat, optional } from './field-rules.ts'
import { accountId, chatId } from './ids.ts'
import { button, entity } from './objects.ts'

const formats = [
  'alerts',
  'pipeline',
  'text',
  'slack',
  'grafana',
  'uptime_kuma',
  'github',
  'gitlab',
  'sentry',
  'auto',
  'template',
] as const

export const hookFormat = z.enum(formats, `must be ${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}`)
export type HookFormat = z.infer<typeof hookFormat>

const SECRET_RULE = `must have 1 to ${hookLimits.secretCharsMax} characters`
const TEMPLATE_RULE = `must have 1 to ${hookLimits.template.bytesMax} bytes`
/** Formats whose senders can prove a secret. */
const signedFormats: readonly HookFormat[] = ['github', 'gitlab', 'sentry', 'auto']

/** Formats whose messages can follow what they are about. */
export const livingFormats: readonly HookFormat[] = ['alerts', 'grafana', 'pipeline']

const { living } = hookLimits
const SPAN_RULE = 'must be a number and m, h or d, from 1m to 30d'
const SILENCE_RULE = `must have 1 to ${living.silenceChoicesMax} different spans`
const ALLOW_RULE = `must be "members", or 1 to ${living.allowedMax} account ids`
const LIVING_RULE = 'must be true'
const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

function isSpan(text: string): boolean {
  const [, count, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? []
  if (count === undefined || unit === undefined) return false
  const ms = Number(count) * unitMs[unit as keyof typeof unitMs]
  return ms >= living.silenceMinMs && ms <= living.silenceMaxMs
}

const spans = z
  .array(z.string(SPAN_RULE).refine(isSpan, SPAN_RULE), SILENCE_RULE)
  .min(1, SILENCE_RULE)
  .max(living.silenceChoicesMax, SILENCE_RULE)
  .refine(all => new Set(all).size === all.length, SILENCE_RULE)

export const hookOptions = z
  .strictObject(
    {
      living: z
        .boolean(LIVING_RULE)
        .refine(wanted => wanted, LIVING_RULE)
        .describe('One message for each group of alerts, or each pipeline, that is edited as it changes.'),
      silence: spans
        .optional()
        .describe('Format `alerts`: the spans for which people may silence a group. By default 1h and 24h.'),
      allow: z
        .union([z.literal('members'), z.array(accountId).min(1).max(living.allowedMax)], ALLOW_RULE)
        .optional()
        .describe('Who may press the buttons beside BOT_OWNERS: these accounts, or everybody in the chat.'),
      quiet_resolve: z.boolean('must be true or false').optional().describe('No reply says that a group is resolved.'),
    },
    'must be an object with living and, if wanted, silence, allow and quiet_resolve',
  )
  .describe(`For ${livingFormats.join(', ')}: messages that follow what they are about.`)
export type HookOptions = z.infer<typeof hookOptions>

const languages = ['ru', 'en'] as const

/** The languages in which the gateway writes. */
export const language = z.enum(languages, `must be ${languages.join(' or ')}`)
export type BotLanguage = z.infer<typeof language>

/** How the last post to a hook ended. */
export const lastHookResult = z.object({
  last_ts: z.int().describe('When the last post to it ended. Absent, as the next three, before the first one.'),
  last_status: z.int().describe('The HTTP status that the sender of that post was answered.'),
  last_result: z
    .enum(['written', 'silent', 'refused'])
    .describe('`silent`: 200, because there was nothing to write, or it was written before.'),
  last_error: z.string().optional().describe('Why it was refused. Never contains a posted word or a secret.'),
})
export type LastHookResult = z.infer<typeof lastHookResult>

/** The message that a post would write. */
export const dryRun = z.object({
  text: z.string().optional().describe('Only with `dry_run=1`, as all others: the text of the message.'),
  entities: z.array(entity).optional().describe('The formatting of the text.'),
  buttons: z.array(z.array(button)).optional(),
  reply_to: z.string().optional().describe('The message that it would reply to.'),
  silent: z.boolean().optional().describe('True if it would notify nobody.'),
  skipped: z.string().optional().describe('Why nothing would be written.'),
})
export type DryRun = z.infer<typeof dryRun>

export const hook = z.object({
  id: z.string(),
  chat_id: chatId,
  format: hookFormat.describe('The format of its posts.'),
  lang: language
    .optional()
    .describe('The language of the words that the bot adds, if the hook was created with one; otherwise LANGUAGE.'),
  silent: z.boolean().optional().describe('True if its messages notify nobody, absent for other hooks.'),
  signed: z
    .boolean()
    .optional()
    .describe('True if the hook was created with a `secret`: posts that do not prove it are 401. Absent for others.'),
  template: z.string().optional().describe('Only for the format `template`.'),
  options: hookOptions.optional(),
  ts: z.int().describe('When it was created.'),
  ...lastHookResult.partial().shape,
})
export type Hook = z.infer<typeof hook>

const neverUsed = { last_ts: true, last_status: true, last_result: true, last_error: true } as const

export const createdHook = hook.omit(neverUsed).extend({
  url: z
    .string()
    .describe('The address to post to. It contains the secret and is shown only here: the gateway stores a hash.'),
})
export type CreatedHook = z.infer<typeof createdHook>

const newHookFields = z.object(
  {
    chat_id: namedChat.describe('A chat that the bot is a member of.'),
    format: hookFormat,
    lang: language.optional().describe('The language of the words that the bot adds. By default LANGUAGE.'),
    silent: optional(z.boolean('must be true or false')).describe(
      'Its messages arrive, but nobody is notified. By default only good news is silent: a resolved alert, a fixed branch.',
    ),
    secret: optional(z.string(SECRET_RULE).min(1, SECRET_RULE).max(hookLimits.secretCharsMax, SECRET_RULE)).describe(
      `The secret that you give to the sender: a post that does not prove it is 401. For ${signedFormats.join(', ')}. It is never shown again.`,
    ),
    template: optional(
      z.string(TEMPLATE_RULE).min(1, TEMPLATE_RULE).max(hookLimits.template.bytesMax, TEMPLATE_RULE),
    ).describe(
      'For the format `template` alone: the text of its messages, with {{paths}} into the posted JSON. It is parsed at once.',
    ),
    options: optional(hookOptions),
  },
  'must be a JSON object',
)

/** A secret that no sender can prove would protect nothing. */
export const newHook = newHookFields.superRefine(({ format, secret, template, options }, context) => {
  if (secret !== undefined && !signedFormats.includes(format))
    context.addIssue({ code: 'custom', path: ['secret'], message: `must not be sent for the format ${format}` })
  if ((template !== undefined) !== (format === 'template')) {
    const message =
      template === undefined ? 'must be sent for the format template' : `must not be sent for the format ${format}`
    context.addIssue({ code: 'custom', path: ['template'], message })
  }
  const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
  if (options && !livingFormats.includes(format)) refuse(['options'], `must not be sent for the format ${format}`)
  else if (options?.silence && format !== 'alerts')
    refuse(['options', 'silence'], `must not be sent for the format ${format}`)
  else if (options && format === 'pipeline' && (options.allow !== undefined || options.quiet_resolve !== undefined))
    refuse(['options'], 'must have only living for the format pipeline')
})
