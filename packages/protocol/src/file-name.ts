// A name under which a file can be shown and saved anywhere, whatever the sender wrote.
import { contentLimits } from './limits.ts'
import { isSeen } from './rules/line.ts'
import { charCount } from './text.ts'

/** Control and bidirectional characters, line ends and half pairs: they hide the real name. */
const unseen = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff\u200b]/gu

export function safeFileName(text: string): string {
  const behindPath =
    text
      .slice(0, 64 * 1024)
      .split(/[/\\]/)
      .at(-1) ?? ''
  const name = behindPath.replaceAll(unseen, '').trim()
  return isSeen(name.replaceAll('.', '')) ? shorten(name) : 'file'
}

/** In lower case and without the dot; empty when there is none. */
export const extensionOf = (name: string): string => /[^.]\.([^.\s]{1,32})$/u.exec(name)?.[1]?.toLowerCase() ?? ''

/** The extension stays because systems choose the program for a file by it. */
function shorten(name: string): string {
  if (charCount(name) <= contentLimits.fileNameCharsMax) return name
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && charCount(name.slice(dot)) <= contentLimits.fileExtensionCharsMax ? name.slice(dot) : ''
  const room = contentLimits.fileNameCharsMax - charCount(extension)
  return [...name].slice(0, room).join('').trimEnd() + extension
}
