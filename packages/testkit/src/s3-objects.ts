// The content of the test's object store, and the rules by which parts become one object.
import { createHash, randomUUID } from 'node:crypto'

type Part = { bytes: Buffer; tag: string }
type Upload = { key: string; parts: Map<number, Part> }

const PART_BYTES_MIN = 5 * 1024 * 1024

/** The name that the real store uses, with its status. */
export class S3Refusal extends Error {
  readonly code: string
  readonly status: number

  constructor(code: string, status: number) {
    super(code)
    this.code = code
    this.status = status
  }
}

const tagOf = (bytes: Uint8Array): string => `"${createHash('md5').update(bytes).digest('hex')}"`

export class S3Objects {
  readonly objects = new Map<string, Buffer>()
  readonly uploads = new Map<string, Upload>()

  put(key: string, bytes: Buffer): string {
    this.objects.set(key, bytes)
    return tagOf(bytes)
  }

  get(key: string): Buffer {
    const found = this.objects.get(key)
    if (!found) throw new S3Refusal('NoSuchKey', 404)
    return found
  }

  begin(key: string): string {
    const id = `${randomUUID()}+/=&`
    this.uploads.set(id, { key, parts: new Map() })
    return id
  }

  putPart(id: string, at: { key: string; number: number }, bytes: Buffer): string {
    const upload = this.#uploadOf(id, at.key)
    if (!(at.number >= 1 && at.number <= 10_000)) throw new S3Refusal('InvalidArgument', 400)
    // For data encrypted with the store's keys, the same bytes have another tag each time.
    const tag = `"${randomUUID()}"`
    upload.parts.set(at.number, { bytes, tag })
    return tag
  }

  complete(id: string, key: string, xml: string): void {
    const { parts } = this.#uploadOf(id, key)
    const listed = [...xml.matchAll(/<Part><PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)<\/ETag><\/Part>/g)]
    if (listed.length === 0) throw new S3Refusal('MalformedXML', 400)
    const numbers = listed.map(([, number]) => Number(number))
    if (numbers.some((number, at) => at > 0 && number <= (numbers[at - 1] ?? 0)))
      throw new S3Refusal('InvalidPartOrder', 400)
    const chosen = listed.map(([, number, tag]) => {
      const part = parts.get(Number(number))
      if (!part || part.tag !== tag) throw new S3Refusal('InvalidPart', 400)
      return part.bytes
    })
    if (chosen.slice(0, -1).some(({ length }) => length < PART_BYTES_MIN)) throw new S3Refusal('EntityTooSmall', 400)
    this.objects.set(key, Buffer.concat(chosen))
    this.uploads.delete(id)
  }

  abort(id: string, key: string): void {
    this.#uploadOf(id, key)
    this.uploads.delete(id)
  }

  list(prefix: string, countMax: number): string[] {
    return [...this.objects.keys()]
      .filter(key => key.startsWith(prefix))
      .toSorted()
      .slice(0, countMax)
  }

  #uploadOf(id: string, key: string): Upload {
    const upload = this.uploads.get(id)
    if (upload?.key !== key) throw new S3Refusal('NoSuchUpload', 404)
    return upload
  }
}
