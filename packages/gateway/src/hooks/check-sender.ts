// Checks what a sender proves besides knowing the address: a token, or a signature made with the hook's own secret.
import { timingSafeEqual } from 'node:crypto'
import { CodedError } from '@postern/protocol'
import type { Format } from './formats/format.ts'
import type { PostBody } from './formats/post-body.ts'
import { hashSecret, type StoredHook } from './hooks.ts'

/** For the secret in the address. */
export function checkToken({ secretHash }: StoredHook, token: string | undefined): void {
  if (token !== undefined && !timingSafeEqual(Buffer.from(hashSecret(token)), Buffer.from(secretHash)))
    throw new CodedError('hook-token-wrong')
}

/** A hook with a secret accepts nothing unproven, also not in a format that can prove nothing. */
export function checkProof({ secret }: StoredHook, { proof }: Format, body: PostBody): void {
  if (secret === undefined || proof?.isValid(body, secret)) return
  throw new CodedError('hook-proof-wrong', { header: proof?.header ?? 'body' })
}
