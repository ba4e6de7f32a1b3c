// The rules of the buttons under a message.
import { contentLimits, HALF_RULE, utf8 } from '@postern/protocol'
import { z } from 'zod'
import { optional, STRING, shownName } from './field-rules.ts'

const { buttonRowsMax, buttonsPerRowMax, buttonTextCharsMax, buttonDataBytesMax, buttonUrlUnitsMax } = contentLimits

const dataRule = `1 to ${buttonDataBytesMax} bytes of UTF-8 are required`
const data = z
  .string(STRING)
  .refine(value => value !== '' && value.length <= buttonDataBytesMax && utf8(value).length <= buttonDataBytesMax, {
    error: dataRule,
  })
  .refine(value => value.isWellFormed(), { error: HALF_RULE })
  .meta({ minLength: 1, maxLength: buttonDataBytesMax })
  .describe(`Comes back when the button is pressed; at most ${buttonDataBytesMax} bytes of UTF-8.`)

const urlRule = `an address that starts with https://, of at most ${buttonUrlUnitsMax} characters, is required`
/** No white space, and nothing that is not seen: people are asked whether they want to go where the address says. */
const shownUrl = /^https:\/\/[^\s\p{Cc}\p{Cf}\p{Cs}]+$/iu
const url = z
  .string(STRING)
  .refine(value => value.length <= buttonUrlUnitsMax && shownUrl.test(value) && URL.canParse(value), { error: urlRule })
  .meta({ maxLength: buttonUrlUnitsMax })
  .describe('Opened after a question that shows it; https only, its scheme in any letters.')

const button = z
  .object(
    { text: shownName(buttonTextCharsMax), data: optional(data), url: optional(url) },
    'an object with text and either data or url is required',
  )
  .refine(button => (button.data === undefined) !== (button.url === undefined), {
    error: 'either data or url is required',
  })

const rowRule = `1 to ${buttonsPerRowMax} buttons are required`

export const buttons = optional(
  z
    .array(
      z.array(button, 'an array of buttons is required').min(1, rowRule).max(buttonsPerRowMax, rowRule),
      'an array of rows is required',
    )
    .max(buttonRowsMax, `at most ${buttonRowsMax} rows are allowed`),
).describe('Rows of buttons, each with either `data` or `url`.')
export type ButtonRows = NonNullable<z.infer<typeof buttons>>
