// Server-sent events: the updates of a named reader, from its place or after the last one that the consumer has.
import type { Journal } from '@postern/core'
import type { EventChoice, NamedReaders } from '@postern/core/node'
import { type Clock, gatewayLimits, utf8 } from '@postern/protocol'
import { updateJson } from '../queue/reader-queue.ts'
import type { UpdateWaits } from './update-waits.ts'

export type StreamOptions = EventChoice & {
  reader: string
  /** The last update that the consumer has; undefined: everything that the reader has not confirmed. */
  after: number | undefined
}

export type UpdateStreamContext = { journal: Journal; readers: NamedReaders; waits: UpdateWaits; clock: Clock }

const hello = utf8(`retry: ${gatewayLimits.streamRetryMs}\n\n`)
/** Proxies and consumers end a connection that is silent for too long, and a dead one is found out by writing. */
const heartbeat = utf8(': heartbeat\n\n')

/**
 * The place is that of this connection alone: a slow consumer holds one page, and several consumers of a reader each
 * receive everything. Nothing is confirmed here: what was sent has not been handled yet.
 */
export async function* streamUpdates(
  { reader: name, after, ...choice }: StreamOptions,
  { journal, readers, waits, clock }: UpdateStreamContext,
  gone: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const leave = waits.take()
  try {
    yield hello
    let place = after === undefined ? -1 : Math.min(after, journal.newest())
    // An event without data: a consumer that has seen no update yet resumes here.
    if (after !== undefined && place < after) yield utf8(`id: ${place}\n\n`)
    let silentSinceMs = clock.monotonicMs()
    while (!gone.aborted && !waits.isReleased) {
      const reader = readers.find(name)
      if (!reader) return
      if (place < reader.confirmed) {
        place = reader.confirmed
        if (reader.dropped > 0) yield utf8(`event: dropped\ndata: {"dropped":${reader.dropped}}\n\n`)
      }
      const page = readers.read(place, { ...choice, limit: gatewayLimits.streamPageMax })
      const last = page.at(-1)
      if (last) {
        yield utf8(page.map(eventOf).join(''))
        place = last.id
        silentSinceMs = clock.monotonicMs()
        continue
      }
      // The next read does not search through updates of other types and chats again.
      place = Math.max(place, journal.newest())
      const leftMs = silentSinceMs + gatewayLimits.streamHeartbeatMs - clock.monotonicMs()
      if (leftMs > 0) await waits.next(leftMs, gone)
      else {
        yield heartbeat
        silentSinceMs = clock.monotonicMs()
      }
    }
  } finally {
    leave()
  }
}

/** In one line, because JSON has no line breaks. */
const eventOf = (update: { id: number; json: string }): string => `id: ${update.id}\ndata: ${updateJson(update)}\n\n`
