// The rules for formatting in a request: as Markdown, or as entities, and never as both.
import {
  contentLimits,
  entitiesCountFault,
  entityFault,
  entityTypes,
  langFault,
  linkUrlFault,
  type TextEntity,
} from '@postern/protocol'
import { z } from 'zod'
import { inUtf16, jsonInForm, keeps, mentionsAreInText, type newMention, optional, STRING } from './field-rules.ts'

export const newEntity = z.object(
  {
    type: z.enum(entityTypes, `must be one of ${entityTypes.join(', ')}`),
    offset: inUtf16('must be a whole number of at least 0', 0),
    length: inUtf16('must be a whole number of at least 1', 1),
    url: optional(z.string(STRING).superRefine(keeps(linkUrlFault))).describe(
      'For a `link`, which needs it: an http or https address without a user name.',
    ),
    lang: optional(z.string(STRING).superRefine(keeps(langFault))).describe('For a `pre`: the language of the code.'),
  },
  'must be an object with type, offset and length',
)

const entityList = z
  .array(newEntity, 'must be an array')
  .superRefine(keeps(entitiesCountFault))
  .meta({ maxItems: contentLimits.entitiesMax })

export const entities = optional(entityList).describe(
  'On whole characters, in any order, each inside of another or apart from it. Not together with `format`.',
)

const FORMAT_RULE = 'must be markdown'

export const format = optional(z.enum(['markdown'], FORMAT_RULE)).describe(
  '`markdown`: marks in the text become entities, and a mark that is not closed stays a sign. No text is rejected.',
)

export const formatInForm = z
  .preprocess(value => (value === '' ? undefined : value), z.enum(['markdown'], FORMAT_RULE).optional())
  .describe('`markdown`: marks in the caption become entities, and a mark that is not closed stays a sign.')

export const entitiesInForm = jsonInForm(entityList).describe('For the caption: a JSON array, as for a text.')

type Formatted = {
  text?: string | undefined
  caption?: string | undefined
  mentions?: z.infer<typeof newMention>[] | undefined
  entities?: TextEntity[] | undefined
  format?: 'markdown' | undefined
}

/** For a schema with a text. An edit may have none: then core checks the spans against the current text. */
export function formattingFits(asked: Formatted, context: z.RefinementCtx): void {
  const text = asked.text ?? asked.caption
  const { format: how, entities: list, mentions } = asked
  const refuse = (path: PropertyKey[], message: string): void => context.addIssue({ code: 'custom', path, message })
  if (how !== undefined && list !== undefined) return refuse(['format'], 'must not be sent together with entities')
  if (how !== undefined && text === undefined) return refuse(['format'], 'must be sent together with a text')
  if (text === undefined) return
  mentionsAreInText({ text, mentions }, context)
  const fault = entityFault(text, list ?? [])
  if (fault) refuse(['entities', fault.at], fault.rule)
}

/** For a new message, which has a text in any case. */
export const captionFits = ({ caption = '', ...asked }: Formatted, context: z.RefinementCtx): void =>
  formattingFits({ ...asked, caption }, context)
