// Converts buttons of a request to buttons of a message.
import type { ButtonRows } from '@postern/bot-api'
import type { Button } from '@postern/protocol/content'

/** Validated before: a button has either data or an address. */
export const buttonsOf = (rows: ButtonRows): Button[][] =>
  rows.map(row =>
    row.map(({ text, data = '', url }) => (url === undefined ? { text, data } : { text, url: plainScheme(url) })),
  )

/** In lower case, however the caller wrote it: receivers reject `HTTPS:`. */
const plainScheme = (url: string): string => url.replace(/^https:/i, 'https:')
