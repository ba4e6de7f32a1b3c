// Albums as an operator's program sends them.
import type { Message } from '@postern/bot-api'

export type AlbumOptions = { fields?: Record<string, string>; key?: string | undefined }

/** Each file has its text as bytes, and its position as name. The fields follow the files. */
export function albumForm(texts: readonly string[], fields: Record<string, string> = {}): FormData {
  const form = new FormData()
  for (const [at, text] of texts.entries()) form.append('file', new Blob([text]), `${at}.txt`)
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  return form
}

export const keyHeader = (key: string | undefined) => (key === undefined ? {} : { 'idempotency-key': key })

/** The fields in which the files of an album differ. */
export const shown = ({ file, text, album }: Message) => ({ name: file?.name, text, album })
