// Opens previews where nothing of the core can run, in the app's service worker: it needs nothing but WebCrypto.
import type { GroupId } from '../ids.ts'
import { decodePreview, type IncomingPush, type MessagePreview, previewContext, previewIn } from './preview-format.ts'

/** The key of a group's epoch, if this device has it: AES-GCM with 256 bits, for decryption. */
export type FindPreviewKey = (group: GroupId, epoch: number) => Promise<CryptoKey | undefined>

/** Undefined if there is no preview, no key for it, or if it was not sealed for this push. */
export async function openPreview(findKey: FindPreviewKey, push: IncomingPush): Promise<MessagePreview | undefined> {
  const parts = push.preview && decodePreview(push.preview)
  const key = parts && (await findKey(push.group, parts.epoch))
  if (!key) return undefined
  const opening = { name: 'AES-GCM', iv: buffered(parts.nonce), additionalData: buffered(previewContext(push)) }
  try {
    return previewIn(new Uint8Array(await crypto.subtle.decrypt(opening, key, buffered(parts.sealed))))
  } catch {
    return undefined
  }
}

/** WebCrypto accepts no bytes that may be shared with another thread. */
const buffered = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)
