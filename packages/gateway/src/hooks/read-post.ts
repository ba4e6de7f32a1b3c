// Reads a body in the format of its hook, without regard to earlier posts.
import type { Format, ReadPost } from './formats/format.ts'
import { formats, type StorageKey } from './formats/formats.ts'
import { readBody } from './formats/post-body.ts'
import type { StoredHook } from './hooks.ts'
import type { MemoryKey } from './memory.ts'

/** `at`: the key of the stored state of the post's subject. */
export type ParsedPost = { format: Format; post: ReadPost; at?: MemoryKey<StorageKey> }

export type PostOfHook = { hook: StoredHook; body: Uint8Array; contentType: string | undefined }

export function readPost({ hook, body, contentType }: PostOfHook): ParsedPost {
  const format = formats[hook.format]
  const post = format.read(readBody(body, contentType))
  if (!format.storageKey || post.subject === undefined) return { format, post }
  return { format, post, at: { hook: hook.id, kind: format.storageKey, name: post.subject } }
}
