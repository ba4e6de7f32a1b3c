// Joins lines into one text: whole if it fits into one message, else shortened, with a count of the lines that were cut.
import { charCount, contentLimits } from '@postern/protocol'
import { cutAfter } from './split.ts'

/** `tail` stays where the rest is shortened; a `whole` line would be useless without its end. */
export type TextLine = { text: string; tail?: string; isWhole?: boolean }

const MARK = '…'
const whole = ({ text, tail = '' }: TextLine): string => text + tail

/** The number of characters, or one more than `max` if it is certainly larger: a megabyte is not walked to know that. */
const countTo = (text: string, max: number): number => (text.length > 2 * max ? max + 1 : charCount(text))

export function fitLines(lines: readonly TextLine[], charsMax: number = contentLimits.textCharsMax): string {
  const text = lines.map(whole).join('\n')
  if (countTo(text, charsMax) <= charsMax) return text
  const shareChars = shareOf(lines, charsMax)
  const cut = lines.map(line => (line.isWhole ? { shown: whole(line), rest: '' } : shorten(line, shareChars)))
  return [...cut.map(({ shown }) => shown), ...cut.map(({ rest }) => rest).filter(rest => rest !== '')].join('\n')
}

/** How long each line may be so that all of them fit: long lines get the space that short ones leave. */
function shareOf(lines: readonly TextLine[], charsMax: number): number {
  const lengths = lines.map(line => countTo(whole(line), charsMax))
  const kept = lengths.filter((_, at) => lines[at]?.isWhole)
  const shared = lengths.filter((_, at) => !lines[at]?.isWhole).toSorted((a, b) => a - b)
  // One more for each line, for its line end.
  let leftChars = charsMax - lines.length - kept.reduce((sum, length) => sum + length, 0)
  for (const [at, length] of shared.entries()) {
    const share = Math.floor(leftChars / (shared.length - at))
    if (length > share) return share
    leftChars -= length
  }
  return charsMax
}

/** For quoted words: the excess is left out. */
export const shortened = (text: string, charsMax: number): string => shorten({ text }, charsMax).shown

function shorten(line: TextLine, charsMax: number): { shown: string; rest: string } {
  if (countTo(whole(line), charsMax) <= charsMax) return { shown: whole(line), rest: '' }
  const { text, tail = '' } = line
  const tailChars = countTo(tail, charsMax)
  if (tailChars > charsMax / 2) return shorten({ text: whole(line) }, charsMax)
  const end = cutAfter(text, charsMax - tailChars - MARK.length)
  return { shown: `${text.slice(0, end).trimEnd()}${MARK}${tail}`, rest: `${MARK}${text.slice(end).trimStart()}` }
}
