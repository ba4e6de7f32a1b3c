// The rules of the buttons under a message.
import { buttonDataFault, buttonRowFault, buttonRowsFault, buttonUrlFault, contentLimits } from '@postern/protocol'
import { z } from 'zod'
import { keeps, optional, STRING, shownName } from './field-rules.ts'

const { buttonRowsMax, buttonsPerRowMax, buttonTextCharsMax, buttonDataBytesMax, buttonUrlUnitsMax } = contentLimits

const data = z
  .string(STRING)
  .superRefine(keeps(buttonDataFault))
  .meta({ minLength: 1, maxLength: buttonDataBytesMax })
  .describe(`Comes back when the button is pressed; at most ${buttonDataBytesMax} bytes of UTF-8.`)

const url = z
  .string(STRING)
  .superRefine(keeps(buttonUrlFault))
  .meta({ maxLength: buttonUrlUnitsMax })
  .describe('Opened after a question that shows it; https only, its scheme in any letters.')

export const newButton = z
  .object(
    { text: shownName(buttonTextCharsMax), data: optional(data), url: optional(url) },
    'an object with text and either data or url is required',
  )
  .refine(button => (button.data === undefined) !== (button.url === undefined), {
    error: 'either data or url is required',
  })

const row = z
  .array(newButton, 'an array of buttons is required')
  .superRefine(keeps(buttonRowFault))
  .meta({ minItems: 1, maxItems: buttonsPerRowMax })

export const buttons = optional(
  z.array(row, 'an array of rows is required').superRefine(keeps(buttonRowsFault)).meta({ maxItems: buttonRowsMax }),
).describe('Rows of buttons, each with either `data` or `url`.')
export type ButtonRows = NonNullable<z.infer<typeof buttons>>
