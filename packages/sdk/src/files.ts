// Files on their way in and out, as streams: no file has to fit into memory.
import { ConnectionError } from './api-error.ts'

/** Bytes to send. A stream can be sent once; bytes, a Blob or a function that opens the file are sent again after a fault. */
export type FileSource = FileBytes | (() => FileBytes)
export type FileBytes = Blob | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** A file of an album. */
export type NamedFile = { file: FileSource; name?: string | undefined }

export interface Download {
  readonly type: string
  /** In bytes, if the gateway has named it. */
  readonly size: number | undefined
  /** Typed as fetch types a body, so that it fits into the streams of the platform. */
  readonly stream: NonNullable<Response['body']>
  bytes(): Promise<Uint8Array>
  text(): Promise<string>
}

export const isRepeatable = (source: FileSource): boolean =>
  typeof source === 'function' || source instanceof Blob || source instanceof Uint8Array

export async function* chunksOf(source: FileSource): AsyncGenerator<Uint8Array> {
  const bytes = typeof source === 'function' ? source() : source
  if (bytes instanceof Uint8Array) yield bytes
  else if (bytes instanceof Blob) yield* read(bytes.stream())
  else if (bytes instanceof ReadableStream) yield* read(bytes)
  else yield* bytes
}

/** `fault`: the error of the source itself, while it was read. */
export type WatchedFile = NamedFile & { fault?: { error: unknown } }

export function watchedFile({ file, name }: NamedFile): WatchedFile {
  const watched: WatchedFile = {
    name,
    async *file() {
      try {
        yield* chunksOf(file)
      } catch (error) {
        watched.fault = { error }
        throw error
      }
    },
  }
  return watched
}

async function* read(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  let isWhole = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      yield value
    }
    isWhole = true
  } finally {
    // The source of a stream that nobody reads on would stay open.
    if (!isWhole) await reader.cancel().catch(() => undefined)
  }
}

export function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    pull: async controller => {
      const next: IteratorResult<Uint8Array, unknown> = await chunks.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
    cancel: async () => {
      await chunks.return(undefined)
    },
  })
}

/** A file that breaks off is a fault of the connection, not of the handler that reads it. */
async function* received({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body === null) return
  try {
    yield* read(body)
  } catch (error) {
    throw new ConnectionError('getFile: the file broke off.', { cause: error })
  }
}

export function downloadOf(response: Response): Download {
  const length = response.headers.get('content-length')
  const stream = streamOf(received(response)) as Download['stream']
  return {
    type: response.headers.get('content-type') ?? 'application/octet-stream',
    size: length === null ? undefined : Number(length),
    stream,
    bytes: async () => new Uint8Array(await new Response(stream).arrayBuffer()),
    text: () => new Response(stream).text(),
  }
}
