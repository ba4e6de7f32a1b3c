// Reads a body in the format of its hook, without regard to earlier posts.

import { checkProof, checkToken } from './check-sender.ts'
import type { Format, ReadPost } from './formats/format.ts'
import { formatOf, type StorageKey } from './formats/formats.ts'
import { type PostHeaders, readBody } from './formats/post-body.ts'
import type { StoredHook } from './hooks.ts'
import type { MemoryKey } from './memory.ts'
import type { GatewayWords } from './words/words.ts'

/** `at`: the key of the stored state of the post's subject. `delivery`: the sender's name for this delivery. */
export type ParsedPost = { format: Format; post: ReadPost; at?: MemoryKey<StorageKey>; delivery?: string }

export type PostOfHook = { hook: StoredHook; body: Uint8Array; headers: PostHeaders; words: GatewayWords }

/** Throws for a wrong body, and for a sender that does not prove the hook's secret. */
export function readPost({ hook, body: bytes, headers, words }: PostOfHook): ParsedPost {
  const body = readBody(bytes, headers)
  const format = formatOf(hook.format, body)
  if (format.comparesToken) checkToken(hook, headers['x-vcs-token'])
  checkProof(hook, format, body)
  const delivery = format.delivery?.(body)
  const post = format.read(body, words, hook.template)
  const parsed = { format, post, ...(delivery && { delivery }) }
  if (!format.storageKey || post.subject === undefined) return parsed
  return { ...parsed, at: { hook: hook.id, kind: format.storageKey, name: post.subject } }
}
