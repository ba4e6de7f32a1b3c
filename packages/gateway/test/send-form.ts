// Files as an operator's program sends them.
import type { Message } from '@postern/bot-api'
import { expect } from 'vitest'
import type { Api } from './api.ts'

export type FormOptions = { name?: string; type?: string; fields?: Record<string, string>; key?: string }

/** The fields follow the file. */
export async function sendForm(api: Api, path: string, bytes: Uint8Array | string, options: FormOptions = {}) {
  const { name = 'a.bin', type = '', fields = {}, key } = options
  const form = new FormData()
  form.set('file', new Blob([bytes as BlobPart], { type }), name)
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  return await api.call<Message & { error?: string }>('POST', `${path}/files`, {
    body: form,
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  })
}

/** One that must succeed. */
export async function sentFile(api: Api, path: string, bytes: Uint8Array | string, options: FormOptions = {}) {
  const { status, body } = await sendForm(api, path, bytes, options)
  expect([status, body]).toEqual([200, body])
  const { file } = body
  if (!file) throw new Error('the answer has no file')
  return { ...body, file }
}
