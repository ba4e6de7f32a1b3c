// JSON in one line, whoever reads it: some programs end a line at signs that JSON leaves as they are, and terminals obey some.

/** DEL and the second set of control characters, the line ends of Unicode, and what turns the direction of writing. */
const misread = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** The same JSON: only written in other signs. */
export const escapeJson = (json: string): string =>
  json.replaceAll(misread, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
