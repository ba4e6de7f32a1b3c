// File: returns every file that it receives, compressed. The bytes stream through: a file of 300 MB takes some
// kilobytes of memory.
import { api, call, handleUpdates, type Message, type Update, untilAnswered } from './bot.ts'

const BOUNDARY = 'end-of-a-part-of-the-form'
const part = (words: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${words}\r\n\r\n`

/** Builds a form around an incoming file by hand: FormData needs all of it in memory. */
function formAround(name: string, { id }: Message): TransformStream<BufferSource, Uint8Array> {
  // Somebody else chose the name: unescaped, it could end its line and begin a field.
  const fileName = `filename*=UTF-8''${encodeURIComponent(name)}`
  const head = `${part('name="reply_to"')}${id}\r\n${part(`name="file"; ${fileName}`)}`
  return new TransformStream({
    start: form => form.enqueue(Buffer.from(head)),
    flush: form => form.enqueue(Buffer.from(`\r\n--${BOUNDARY}--\r\n`)),
  })
}

async function sendBack({ id, chat_id }: Update, message: Message, name: string): Promise<void> {
  // A try covers both directions: a stream that was read to its middle cannot be sent again.
  await untilAnswered(async () => {
    const source = await api(`chats/${chat_id}/messages/${message.id}/file`)
    if (!source.ok || !source.body) return source
    return await api(`chats/${chat_id}/files`, {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'idempotency-key': `file-${id}` },
      body: source.body.pipeThrough(new CompressionStream('gzip')).pipeThrough(formAround(`${name}.gz`, message)),
    })
  })
}

await handleUpdates(async update => {
  if (update.type !== 'message' || update.message.from.bot) return
  const { id, chat_id, message } = update
  if (message.file) await sendBack(update, message, message.file.name)
  else if (chat_id === message.from.id)
    await call(`chats/${chat_id}/messages`, { key: `hint-${id}`, body: { text: 'Send me a file.' } })
})
