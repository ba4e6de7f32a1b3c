// Begins a blob as its owner and uploads its bytes.
import type { Connected } from './relay-fixture.ts'

export type Begun = { url: string; token: string; blob: string }

export async function begin(relay: { url: string }, owner: Connected, size: number): Promise<Begun> {
  const { blob, token } = await owner.call('beginBlob', { size })
  return { url: `${relay.url}/blobs/${blob}`, token, blob }
}

export const bearer = ({ token }: Begun, offset?: number): Record<string, string> => ({
  Authorization: `Bearer ${token}`,
  ...(offset === undefined ? {} : { 'Upload-Offset': String(offset) }),
})

export const put = (begun: Begun, body: Uint8Array, offset: number): Promise<Response> =>
  fetch(begun.url, { method: 'PUT', headers: bearer(begun, offset), body: Buffer.from(body) })

export const offsetOf = (response: Response): number => Number(response.headers.get('upload-offset'))
export const bodyOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer())

/** A blob that its owner limits to a lifetime, or to a number of fetchers. */
export async function beginLimited(
  relay: { url: string },
  owner: Connected,
  given: { size: number; lifetimeMs?: number; fetches?: number },
): Promise<Begun> {
  const { blob, token } = await owner.call('beginLimitedBlob', { lifetimeMs: undefined, fetches: undefined, ...given })
  return { url: `${relay.url}/blobs/${blob}`, token, blob }
}
