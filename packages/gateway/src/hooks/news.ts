// What a body says, by the format of its hook, before anybody has looked at what was said before.
import type { Format, ReadPost } from './formats/format.ts'
import { formats, type Shelf } from './formats/formats.ts'
import { readBody } from './formats/post-body.ts'
import type { StoredHook } from './hooks.ts'
import type { MemoryKey } from './memory.ts'

/** `at`: where is kept what is known of the thing that the post is about. */
export type News = { format: Format; post: ReadPost; at?: MemoryKey<Shelf> }

export type PostOfHook = { hook: StoredHook; body: Uint8Array; contentType: string | undefined }

export function readNews({ hook, body, contentType }: PostOfHook): News {
  const format = formats[hook.format]
  const post = format.read(readBody(body, contentType))
  if (!format.shelf || post.subject === undefined) return { format, post }
  return { format, post, at: { hook: hook.id, kind: format.shelf, name: post.subject } }
}
