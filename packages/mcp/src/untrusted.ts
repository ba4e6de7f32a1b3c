// Texts of people, as agents receive them: JSON values that are marked as data, without signs that people do not see.
import { firstSigns, mcpLimits } from '@postern/protocol'

export type UntrustedText = { from: string; value: string; untrusted: true }

/** Controls, and signs that reorder a line or take no space: instructions can be hidden in them. */
const hidden = /(?!\n|\t)[\p{Cc}\p{Cf}\p{Co}]|[\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu

function visibleText(text: string): string {
  const { textCharsMax } = mcpLimits
  const visible = text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(hidden, '')
    .toWellFormed()
  return visible.length <= textCharsMax ? visible : firstSigns(visible, { charsMax: textCharsMax, bytesMax: Infinity })
}

/** In one line. */
export const visibleName = (name: string): string => visibleText(name).replaceAll(/\s+/g, ' ').trim()

/** A new object of exactly these fields: nothing in the text can become a field of it. */
export const untrustedText = (from: string, text: string): UntrustedText => ({
  from: visibleName(from),
  value: visibleText(text),
  untrusted: true,
})
