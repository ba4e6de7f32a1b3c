// The handlers of updates: polls and streams of readers, their places, and the status of the webhook.
import { type Access, outsideToken } from '../access.ts'
import { type ReaderUse, readerPlaceOf } from '../updates/readers.ts'
import type { Updates } from '../updates/updates.ts'
import { NegotiatedAnswer, SerializedAnswer, StreamedAnswer } from './answers.ts'
import { empty, type Handlers } from './handler.ts'

export const updateHandlers = (updates: Updates) =>
  ({
    getUpdates: async ({ query: { offset, limit, timeout, types, from, reader }, isHead }, caller) => {
      const poll = { offset, limit, timeoutMs: timeout * 1000 }
      const { access } = caller
      if (reader !== undefined)
        return await pollReader(updates, useOf(reader, { types, from, access }), { poll, isHead, caller })
      // It would confirm what it does not see, for everybody.
      if (access.chats) throw outsideToken('Name a reader, which it then has for itself')
      // A HEAD request must not confirm updates that nobody has read, nor wait for a body that it will not see.
      if (isHead) return new SerializedAnswer(updates.peek(poll, types))
      return new SerializedAnswer(await updates.poll(poll, types, caller))
    },
    streamUpdates: async ({ query, headers, isHead }, { gone, access }) => {
      const use = useOf(query.reader, { types: query.types, from: query.from, access })
      if (!isHead) await updates.readers.open(use)
      const options = { ...use, reader: use.name, after: headers['last-event-id'] }
      return new NegotiatedAnswer(() => streamed(() => updates.readers.stream(options, gone)))
    },
    listReaders: (_, { access }) => updates.readers.list(access),
    confirmUpdates: ({ params, body }, { access }) =>
      updates.readers.confirm(readerPlaceOf(params.reader, access), body.offset),
    deleteReader: ({ params }, { access }) => empty(updates.readers.remove(readerPlaceOf(params.reader, access))),
    getWebhook: () => updates.webhookStatus(),
    setWebhook: ({ body }) => updates.changeWebhook(it => it.set(body)),
    removeWebhook: () => updates.changeWebhook(it => it.remove()),
    pauseWebhook: () => updates.changeWebhook(it => it.pause()),
    resumeWebhook: () => updates.changeWebhook(it => it.resume()),
    retryWebhook: () => updates.changeWebhook(it => it.retry()),
  }) satisfies Partial<Handlers>

type Using = Pick<ReaderUse, 'types' | 'from'> & { access: Access }

const useOf = (reader: string, { types, from, access }: Using): ReaderUse => ({
  name: readerPlaceOf(reader, access),
  types,
  from,
  chats: access.chats,
})

type Polling = { poll: Parameters<Updates['poll']>[0]; isHead: boolean; caller: Parameters<Updates['poll']>[2] }

async function pollReader(
  { readers }: Updates,
  use: ReaderUse,
  { poll, isHead, caller }: Polling,
): Promise<SerializedAnswer> {
  const page = isHead ? readers.peek(poll, use) : await readers.poll(poll, use, caller)
  const dropped = readers.dropped(use.name)
  return new SerializedAnswer(page, dropped > 0 ? { 'updates-dropped': String(dropped) } : undefined)
}

const streamed = (read: () => AsyncIterable<Uint8Array>): StreamedAnswer =>
  new StreamedAnswer({
    status: 200,
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // A proxy that gathers an answer would hold updates back.
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    },
    read,
  })
