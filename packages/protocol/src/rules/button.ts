// The rules for buttons: their number, their labels, and the data or address of each.
import { utf8 } from '../bytes.ts'
import { contentLimits } from '../limits.ts'
import type { Fault } from './kept.ts'
import { nameFault } from './line.ts'
import { HALF_RULE } from './text.ts'

const { buttonRowsMax, buttonsPerRowMax, buttonTextCharsMax, buttonDataBytesMax, buttonUrlUnitsMax } = contentLimits

export const buttonRowsFault = (rows: readonly unknown[]): Fault =>
  rows.length > buttonRowsMax ? `must have at most ${buttonRowsMax} rows` : undefined

export const buttonRowFault = (row: readonly unknown[]): Fault =>
  row.length < 1 || row.length > buttonsPerRowMax ? `must have 1 to ${buttonsPerRowMax} buttons` : undefined

export const buttonTextFault = (text: string): Fault => nameFault(text, buttonTextCharsMax)

export const isButtonDataShort = (data: string): boolean =>
  data.length <= buttonDataBytesMax && utf8(data).length <= buttonDataBytesMax

export function buttonDataFault(data: string): Fault {
  if (data === '' || !isButtonDataShort(data)) return `must have 1 to ${buttonDataBytesMax} bytes of UTF-8`
  return data.isWellFormed() ? undefined : HALF_RULE
}

const https = /^https:\/\//i
/** White space and invisible characters: people are asked whether they want to open the address. */
const misleading = /[\s\p{Cc}\p{Cf}\p{Cs}]/u

/** With a name before the host (`https://bank.example@evil.example`) people read the name: no app opens such an address. */
const userinfo = /^https?:[/\\]*[^/?#\\]*@/i

export const isPlainUrl = (url: string): boolean => !misleading.test(url) && !userinfo.test(url) && URL.canParse(url)

export function buttonUrlFault(url: string): Fault {
  if (userinfo.test(url)) return 'must not contain a user name or password'
  return url.length <= buttonUrlUnitsMax && https.test(url) && isPlainUrl(url)
    ? undefined
    : `must be an https:// address of at most ${buttonUrlUnitsMax} characters`
}

type ButtonFields = { text: string; data?: string; url?: string }

/** For all buttons of one message. */
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
