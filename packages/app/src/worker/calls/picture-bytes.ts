// The bytes of a picture that a page passes to the worker.
import { AppError } from '../app-error.ts'

/** Checked before it is read: a page may pass a film. */
export async function pictureBytes(picture: Blob, bytesMax: number): Promise<Uint8Array> {
  if (picture.size > bytesMax) throw new AppError('call-malformed', { field: 'picture' })
  return new Uint8Array(await picture.arrayBuffer())
}
