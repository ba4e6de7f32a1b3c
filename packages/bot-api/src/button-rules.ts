// The rules of the buttons under a message.
import { buttonDataFault, buttonRowFault, buttonRowsFault, buttonUrlFault, contentLimits } from '@postern/protocol'
import { z } from 'zod'
import { jsonInForm, keeps, optional, STRING, shownName } from './field-rules.ts'

const { buttonRowsMax, buttonsPerRowMax, buttonTextCharsMax, buttonDataBytesMax, buttonUrlUnitsMax } = contentLimits

const data = z
  .string(STRING)
  .superRefine(keeps(buttonDataFault))
  .meta({ minLength: 1, maxLength: buttonDataBytesMax })
  .describe(`Sent back when the button is pressed; at most ${buttonDataBytesMax} bytes of UTF-8.`)

const url = z
  .string(STRING)
  .superRefine(keeps(buttonUrlFault))
  .meta({ maxLength: buttonUrlUnitsMax })
  .describe('The app shows it and asks before it is opened; https only, the scheme in upper or lower case.')

export const newButton = z
  .object(
    { text: shownName(buttonTextCharsMax), data: optional(data), url: optional(url) },
    'must be an object with text and either data or url',
  )
  .refine(button => (button.data === undefined) !== (button.url === undefined), {
    error: 'must have either data or url',
  })

const row = z
  .array(newButton, 'must be an array of buttons')
  .superRefine(keeps(buttonRowFault))
  .meta({ minItems: 1, maxItems: buttonsPerRowMax })

const rows = z
  .array(row, 'must be an array of rows')
  .superRefine(keeps(buttonRowsFault))
  .meta({ maxItems: buttonRowsMax })

export const buttonsInForm = jsonInForm(rows).describe('Rows of buttons: a JSON array, as for a text.')

export const buttons = optional(rows).describe('Rows of buttons, each with either `data` or `url`.')
export type ButtonRows = NonNullable<z.infer<typeof buttons>>
