// The buttons under a message: how many, what they say, and what they give back or open.
import { utf8 } from '../bytes.ts'
import { contentLimits } from '../limits.ts'
import type { Fault } from './kept.ts'
import { nameFault } from './line.ts'
import { HALF_RULE } from './text.ts'

const { buttonRowsMax, buttonsPerRowMax, buttonTextCharsMax, buttonDataBytesMax, buttonUrlUnitsMax } = contentLimits

export const buttonRowsFault = (rows: readonly unknown[]): Fault =>
  rows.length > buttonRowsMax ? `at most ${buttonRowsMax} rows are allowed` : undefined

export const buttonRowFault = (row: readonly unknown[]): Fault =>
  row.length < 1 || row.length > buttonsPerRowMax ? `1 to ${buttonsPerRowMax} buttons are required` : undefined

export const buttonTextFault = (text: string): Fault => nameFault(text, buttonTextCharsMax)

export const isButtonDataShort = (data: string): boolean =>
  data.length <= buttonDataBytesMax && utf8(data).length <= buttonDataBytesMax

export function buttonDataFault(data: string): Fault {
  if (data === '' || !isButtonDataShort(data)) return `1 to ${buttonDataBytesMax} bytes of UTF-8 are required`
  return data.isWellFormed() ? undefined : HALF_RULE
}

const https = /^https:\/\//i
/** White space, and what is not seen: people are asked whether they want to go where the address says. */
const misleading = /[\s\p{Cc}\p{Cf}\p{Cs}]/u

export const isPlainUrl = (url: string): boolean => !misleading.test(url) && URL.canParse(url)

export const buttonUrlFault = (url: string): Fault =>
  url.length <= buttonUrlUnitsMax && https.test(url) && isPlainUrl(url)
    ? undefined
    : `an address that starts with https://, of at most ${buttonUrlUnitsMax} characters, is required`

type ButtonFields = { text: string; data?: string; url?: string }

/** Of all that stand under one message. */
export function buttonsFault(rows: readonly (readonly ButtonFields[])[]): Fault {
  const faults = [
    buttonRowsFault(rows),
    ...rows.map(buttonRowFault),
    ...rows
      .flat()
      .map(
        ({ text, data, url }) =>
          buttonTextFault(text) ?? (url === undefined ? buttonDataFault(data ?? '') : buttonUrlFault(url)),
      ),
  ]
  return faults.find(fault => fault !== undefined)
}
