// One try to send a row of the queue, and its outcome: gone, surely not sent, in doubt, or refused.
import type { Client } from '@postern/core'
import { appLimits, CodedError, isCoded, type MessageId, untilAborted, utf8 } from '@postern/protocol'
import type { QueuedBody, QueuedRow } from './outgoing-row.ts'

export type SendOutcome =
  | { kind: 'gone' }
  | { kind: 'unsent' }
  | { kind: 'doubt' }
  | { kind: 'refused'; error: unknown }

export type RowSending = {
  client: Client
  key: string
  row: QueuedRow
  /** It was tried, and the outcome is unknown. */
  isDoubted: boolean
  /** For a message with a file: its bytes. */
  source: () => AsyncIterable<Uint8Array>
  /** Written before the try: whatever happens then, the row says that it was tried. */
  note: (row: QueuedRow) => Promise<void>
  onBytes: (sentBytes: number) => void
  /** Ends the upload of a file. */
  signal: AbortSignal
  /** From here on the message itself is on its way. */
  onUploaded: () => void
}

/** The key under which core sends it: core forgets one after a day, and then it must be another. */
export const sendKey = (key: string, { renewed }: Pick<QueuedRow, 'renewed'>): string =>
  renewed === 0 ? key : `${key}.${renewed}`

export async function sendRow(sending: RowSending): Promise<SendOutcome> {
  try {
    if (sending.isDoubted) {
      if (isForgotten(sending.client, sending.row)) return { kind: 'refused', error: new CodedError('send-in-doubt') }
      if (await wasSent(sending)) return { kind: 'gone' }
    }
    await send({ ...sending, row: await noteTry(sending) })
    return { kind: 'gone' }
  } catch (error) {
    return judge(error)
  }
}

/** Errors that pass with the relay or the network wait; errors that only a person can change are refusals. */
function judge(error: unknown): SendOutcome {
  if (isCoded(error, 'send-in-doubt')) return { kind: 'doubt' }
  // A worker that ends does not know the outcome: the next one finds out.
  if (isCoded(error, 'stopping')) return { kind: 'doubt' }
  if (isCoded(error, 'relay-unreachable', 'not-registered', 'chat-healing', 'relay-stopping', 'rate-limited'))
    return { kind: 'unsent' }
  return { kind: 'refused', error }
}

/** Core has forgotten the key, or will before the answer: sent again, it could arrive twice. */
export const isForgotten = ({ elapsed: passed }: Pick<Client, 'elapsed'>, { triedMs }: QueuedRow): boolean =>
  triedMs !== undefined && passed.nowMs() - triedMs > appLimits.outgoingDoubtMsMax

async function noteTry(sending: RowSending): Promise<QueuedRow> {
  const { row, client, isDoubted } = sending
  if (row.triedMs !== undefined && (isDoubted || !isForgotten(client, row))) return row
  const renewed = row.triedMs === undefined ? row.renewed : row.renewed + 1
  const noted = { ...row, renewed, triedMs: client.elapsed.nowMs() }
  await sending.note(noted)
  return noted
}

const within = ({ key, row }: Pick<RowSending, 'key' | 'row'>) => {
  const under = sendKey(key, row)
  // Sent as a new one, it is another message: this device may have the first one.
  const send = row.renewed === 0 && row.send !== undefined ? { send: row.send } : {}
  return { timeoutMs: appLimits.callTimeoutMs, idempotency: { key: under, request: utf8(under), ...send } }
}

const wasSent = async (sending: RowSending): Promise<boolean> =>
  (await sending.client.messages.findSent(sending.row.chat, within(sending))) !== undefined

async function send(sending: RowSending): Promise<void> {
  const { client, row } = sending
  const { body, chat } = row
  switch (body.kind) {
    case 'text': {
      const { text, mentions, entities, forwarded } = body
      const spans = { ...(mentions && { mentions }), ...(entities && { entities }) }
      const asked = { text, ...spans, ...(forwarded && { forwarded }), ...replyOf(sending) }
      await client.messages.sendText(chat, asked, within(sending))
      return
    }
    case 'poll': {
      const { close_ts: closeTs, ...poll } = body.poll
      const asked = { ...poll, ...(closeTs !== undefined && { closeTs }), ...replyOf(sending) }
      await client.messages.sendPoll(chat, asked, within(sending))
      return
    }
    case 'file':
      return await sendFile(sending, body)
  }
}

/** The message may be gone by now, deleted or expired: then the reply goes out without it. */
function replyOf({ client, row }: Pick<RowSending, 'client' | 'row'>): { replyTo?: MessageId } {
  const { reply_to: replyTo } = row.body
  return replyTo !== undefined && client.messages.has(row.chat, replyTo) ? { replyTo } : {}
}

type QueuedFile = Extract<QueuedBody, { kind: 'file' }>

async function sendFile(sending: RowSending, body: QueuedFile): Promise<void> {
  const { client, row } = sending
  const { duration_ms: durationMs, size, ...words } = body.file
  const onSent = (sealedBytes: number) => sending.onBytes(Math.min(sealedBytes, size))
  const hints = { to: row.chat, bytesHint: size, idempotencyKey: sendKey(sending.key, row), onSent }
  const draft = await client.files.draft(untilAborted(sending.source(), sending.signal), hints)
  try {
    const said = { ...words, ...(durationMs !== undefined && { durationMs }), ...replyOf(sending) }
    const { text, entities, forwarded } = body
    const formatted = { ...(text !== undefined && { text }), ...(entities && { entities }) }
    const caption = { ...formatted, ...(forwarded && { forwarded }) }
    const whole = { ...draft, uploaded: () => uploaded(draft, sending) }
    await client.files.send(row.chat, { ...said, ...caption, draft: whole }, within(sending))
  } finally {
    await draft.discard()
  }
}

type DraftedFile = Awaited<ReturnType<Client['files']['draft']>>

async function uploaded(draft: DraftedFile, { signal, onUploaded }: RowSending): ReturnType<DraftedFile['uploaded']> {
  const stored = await draft.uploaded(signal)
  // Taken back in this very moment: the message must not follow.
  signal.throwIfAborted()
  onUploaded()
  return stored
}
