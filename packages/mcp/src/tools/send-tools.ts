// The tools that write without being asked to by a person. They exist only where MCP_WRITE allows it.
import { createHash } from 'node:crypto'
import { CodedError, charCount, mcpLimits } from '@postern/protocol'
import { z } from 'zod'
import { allowedChat, chatField, defineTool, reserveWrite } from './tool.ts'

const { keyCharsMax, fileBytesMax } = mcpLimits
const annotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: true }

const key = z
  .string()
  .min(1)
  .refine(text => charCount(text) <= keyCharsMax, { error: `must have at most ${keyCharsMax} characters` })
  .optional()
  .describe('A repeated call with the same key sends nothing again.')

/** Apart from the keys of the operator's own programs. */
const keyOf = (given: string | undefined): { key?: string } =>
  given === undefined ? {} : { key: `mcp:${createHash('sha256').update(given).digest('base64url')}` }

const sendMessage = defineTool({
  name: 'send_message',
  title: 'Send a message',
  description: 'Sends a text to a chat, as the bot.',
  input: z.strictObject({ chat: chatField, text: z.string(), reply_to: z.string().optional(), key }),
  annotations,
  run: async ({ chat: id, text, reply_to, key: given }, parts) => {
    const chat = allowedChat(id, parts)
    reserveWrite(parts)
    const body = { text, ...(reply_to !== undefined && { reply_to }) }
    const sent = await parts.operate('sendMessage', { params: { chat }, body, ...keyOf(given) })
    return { message_id: sent.id }
  },
})

const sendFile = defineTool({
  name: 'send_file',
  title: 'Send a file',
  description: 'Sends a file to a chat, as the bot. Its content is text, or base64 of at most 1 MB.',
  input: z.strictObject({
    chat: chatField,
    name: z.string().min(1),
    text: z.string().optional(),
    base64: z.string().optional(),
    caption: z.string().optional(),
    key,
  }),
  annotations,
  run: async ({ chat: id, name, caption, key: given, ...content }, parts) => {
    const chat = allowedChat(id, parts)
    const bytes = bytesOf(content)
    reserveWrite(parts)
    const form = {
      bytesHint: bytes.length,
      open: async () => ({
        file: { name, declaredType: undefined, bytes: piecesOf(bytes) },
        fields: async () => (caption === undefined ? {} : { caption }) as Record<string, string>,
      }),
    }
    const sent = await parts.operate('sendFile', { params: { chat }, form, ...keyOf(given) })
    return { message_id: sent.id }
  },
})

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function bytesOf({ text, base64 }: { text?: string | undefined; base64?: string | undefined }): Buffer {
  if ((text === undefined) === (base64 === undefined)) throw badContent('text', 'or base64 is required, and not both')
  // Node decodes what it can of any text, and would send a damaged file.
  if (base64 !== undefined && !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) throw badContent('base64', 'must be base64')
  const bytes = text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text)
  if (bytes.length > fileBytesMax)
    throw badContent(text === undefined ? 'base64' : 'text', `must have at most ${fileBytesMax} bytes`)
  return bytes
}

const badContent = (field: string, rule: string): CodedError => new CodedError('bad-field', { field, rule })

export const sendTools = [sendMessage, sendFile]
