// JSON in one line for every reader: some programs end a line at characters that JSON leaves as they are, and terminals
// obey some.

/**
 * DEL and the second set of control characters, the line ends of Unicode, and characters that change the writing
 * direction.
 */
const misread = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** The same JSON, with other characters escaped. */
export const escapeJson = (json: string): string =>
  json.replaceAll(misread, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
