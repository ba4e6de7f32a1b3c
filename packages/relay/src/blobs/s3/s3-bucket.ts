// The operations that the relay needs from an object store:
// whole objects, multipart uploads, ranges, lists and deletion.
import { relayFixedLimits } from '@postern/protocol'
import { fieldIn, fieldsIn } from './read-answers.ts'
import type { S3Client } from './s3-client.ts'
import { isS3Fault, S3Fault } from './s3-fault.ts'
import { bodyOf } from './send-request.ts'

/** `key`: the name of the object that the parts will form. */
export type MultipartUpload = { key: string; id: string }
export type UploadedPart = { number: number; tag: string }
type Range = { start: number; end: number }

export class S3Bucket {
  readonly #client: S3Client

  constructor(client: S3Client) {
    this.#client = client
  }

  async put(key: string, body: readonly Uint8Array[]): Promise<void> {
    await this.#client.ask({ method: 'PUT', key, body })
  }

  /** Returns undefined if there is no such object. Throws if the body breaks off or is not the requested range. */
  async get(key: string, range: Range): Promise<AsyncIterable<Uint8Array> | undefined> {
    try {
      const headers = { range: `bytes=${range.start}-${range.end}` }
      const answer = await this.#client.open({ method: 'GET', key, headers })
      const isRange = answer.headers['content-range']?.startsWith(`bytes ${range.start}-${range.end}/`) ?? false
      if (answer.statusCode === 206 && isRange) return exactly(bodyOf(answer, this.#client.line), range)
      answer.destroy()
      throw new S3Fault('WrongRange', answer.statusCode ?? 0)
    } catch (error) {
      if (isS3Fault(error) && error.status === 404) return undefined
      throw error
    }
  }

  /** Returns undefined if there is no such object. */
  async length(key: string): Promise<number | undefined> {
    try {
      const { headers } = await this.#client.ask({ method: 'HEAD', key })
      return Number(headers['content-length'])
    } catch (error) {
      if (isS3Fault(error) && error.status === 404) return undefined
      throw error
    }
  }

  async delete(key: string): Promise<void> {
    await this.#client.ask({ method: 'DELETE', key }).catch(unlessAbsent)
  }

  /** Returns one page of the keys with this prefix. A caller that deletes them lists again. */
  async list(prefix: string, countMax: number = relayFixedLimits.objectsPerList): Promise<string[]> {
    const query = { 'list-type': '2', 'max-keys': String(countMax), prefix }
    const { text } = await this.#client.ask({ method: 'GET', query })
    return fieldsIn(text, 'Key')
  }

  async begin(key: string): Promise<MultipartUpload> {
    const { text } = await this.#client.ask({ method: 'POST', key, query: { uploads: '' } })
    const id = fieldIn(text, 'UploadId')
    if (!id) throw new S3Fault('NoUploadId', 0)
    return { key, id }
  }

  /** Returns the part's tag. */
  async putPart({ key, id }: MultipartUpload, number: number, body: readonly Uint8Array[]): Promise<string> {
    const query = { partNumber: String(number), uploadId: id }
    const { headers } = await this.#client.ask({ method: 'PUT', key, query, body })
    if (!headers.etag) throw new S3Fault('NoETag', 0)
    return headers.etag
  }

  /** Also throws `NoSuchUpload` if an earlier attempt succeeded and its answer was lost. */
  async putTogether({ key, id }: MultipartUpload, parts: readonly UploadedPart[]): Promise<void> {
    const listed = parts.map(
      ({ number, tag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
    )
    const xml = `<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`
    await this.#client.ask({ method: 'POST', key, query: { uploadId: id }, body: [Buffer.from(xml)] })
  }

  async abort({ key, id }: MultipartUpload): Promise<void> {
    await this.#client.ask({ method: 'DELETE', key, query: { uploadId: id } }).catch((error: unknown) => {
      // A store without this operation must not stop the removal of expired blobs:
      // a rule of the bucket removes the parts.
      if (!isS3Fault(error, 'MethodNotAllowed', 'NotImplemented')) unlessAbsent(error)
    })
  }

  close(): void {
    this.#client.close()
  }
}

/** A body that ends early must not pass as complete. */
async function* exactly(body: AsyncIterable<Uint8Array>, { start, end }: Range): AsyncGenerator<Uint8Array> {
  let left = end + 1 - start
  for await (const bytes of body) {
    left -= bytes.length
    if (left < 0) break
    yield bytes
  }
  if (left !== 0) throw new S3Fault('WrongLength', 0)
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function unlessAbsent(error: unknown): void {
  if (!isS3Fault(error) || error.status !== 404) throw error
}
