// Methods that send files, and the one that says where a file can be fetched.
import { fileIdOf, filePathOf, readFileId } from '../ids/file-ids.ts'
import { keyboardOf } from '../keyboards.ts'
import { Parameters } from '../parameters.ts'
import type { MethodInput, UploadedForm } from '../telegram-context.ts'
import { badRequest } from '../telegram-error.ts'
import { captionIn, chatOf, type Method, type MethodParts, type Methods, replyOf, silentOf, wordsIn } from './method.ts'
import { buttonsOf } from './sending.ts'

type FileField = { field: string; kind?: 'photo' | 'video' | 'voice' | 'file' }

const ATTACHED = 'attach://'

async function sendFile(
  { parameters, form, key }: MethodInput,
  parts: MethodParts,
  { field, kind }: FileField,
): Promise<object> {
  if (!form) return await sendKnown({ parameters, key }, parts, field)
  const file = await findFile(form, field)
  const fieldsNow = () => new Parameters({ ...Object.fromEntries(parameters.entries()), ...form.fields() })
  if (!file) return await sendKnown({ parameters: fieldsNow(), key }, parts, field)
  if (!fieldsNow().has('chat_id')) throw badRequest('chat_id is empty: send it before the file')
  const chat = chatOf(fieldsNow(), parts)
  const sent = await parts.context.call('sendFile', {
    params: { chat },
    key,
    form: {
      bytesHint: form.bytesHint,
      open: async () => ({
        file,
        fields: async () => {
          // To the end of the form: fields may follow the file.
          while (await form.nextFile());
          return fileFields(fieldsNow(), parts, { chat, kind })
        },
      }),
    },
  })
  const rows = keyboardOf(fieldsNow())
  if (rows) await parts.views.keyboards.keep(sent, rows)
  return await parts.views.message(sent)
}

/** The part that the field names, or that has its name; thumbnails are passed. */
async function findFile(form: UploadedForm, field: string) {
  for (;;) {
    const file = await form.nextFile()
    const named = form.fields()[field]
    const wanted = named?.startsWith(ATTACHED) ? named.slice(ATTACHED.length) : field
    if (!file || file.field === wanted) return file
  }
}

/** A file of a message that the bot has seen, by its file_id. */
async function sendKnown(
  { parameters, key }: Pick<MethodInput, 'parameters' | 'key'>,
  parts: MethodParts,
  field: string,
): Promise<object> {
  if (!parameters.has(field)) throw badRequest(`there is no ${field} in the request`)
  const named = parameters.need(field)
  if (/^https?:/i.test(named)) throw badRequest(`${field} must be uploaded: this gateway sends no file by URL`)
  const { chat: from, message } = readFileId(named)
  if (!parts.views.find(from, message)?.file) throw badRequest('wrong file_id or the file is temporarily unavailable')
  const chat = chatOf(parameters, parts)
  const rows = keyboardOf(parameters)
  const body = {
    from: { chat_id: from, message_id: message },
    copy: true,
    ...captionIn(parameters, parts),
    ...replyOf(parameters, parts, chat),
    ...silentOf(parameters),
    ...buttonsOf(rows),
  }
  const sent = await parts.context.call('forwardMessage', { params: { chat }, body, key })
  if (rows) await parts.views.keyboards.keep(sent, rows)
  return await parts.views.message(sent)
}

type Sending = { chat: string; kind: FileField['kind'] }

function fileFields(parameters: Parameters, parts: MethodParts, { kind }: Sending): Record<string, string> {
  const text = parameters.text('caption') ?? ''
  const words = wordsIn(parameters, parts, { text, entities: 'caption_entities' })
  const { reply_to: reply } = replyOf(parameters, parts, chatOf(parameters, parts))
  const { buttons } = { buttons: undefined, ...buttonsOf(keyboardOf(parameters)) }
  const [width, height, seconds] = ['width', 'height', 'duration'].map(name => parameters.integer(name))
  return {
    ...(words.text !== '' && { caption: words.text }),
    ...(words.entities && { entities: JSON.stringify(words.entities) }),
    ...(words.mentions && { mentions: JSON.stringify(words.mentions) }),
    ...(kind && { kind }),
    ...(reply && { reply_to: reply }),
    ...(buttons && { buttons: JSON.stringify(buttons) }),
    ...(silentOf(parameters).silent && { silent: 'true' }),
    ...(width && { width: String(width) }),
    ...(height && { height: String(height) }),
    ...(seconds && { duration_ms: String(seconds * 1000) }),
  }
}

const sending = (kind: FileField, note = ''): Method => ({
  fits: 'partly',
  note: `By upload or \`file_id\`, not by URL. ${note}`.trim(),
  run: (input, parts) => sendFile(input, parts, kind),
})

export const fileMethods: Methods = {
  sendDocument: sending({ field: 'document', kind: 'file' }),
  sendPhoto: sending({ field: 'photo', kind: 'photo' }, 'JPEG, PNG and WebP. One size is shown.'),
  sendVideo: sending({ field: 'video', kind: 'video' }),
  sendVoice: sending({ field: 'voice', kind: 'voice' }),
  sendAudio: sending({ field: 'audio', kind: 'file' }, 'Arrives as a document.'),
  sendAnimation: sending({ field: 'animation', kind: 'file' }, 'Arrives as a document.'),
  getFile: {
    fits: 'full',
    note: 'Files of up to 300 MB. The `file_id` belongs to the message and ends with it.',
    run: ({ parameters }, { views }) => {
      const { chat, message } = readFileId(parameters.need('file_id'))
      const found = views.find(chat, message)
      if (!found?.file) throw badRequest('wrong file_id or the file is temporarily unavailable')
      const id = fileIdOf(found)
      const { size, name } = found.file
      return { file_id: id, file_unique_id: found.id, file_size: size, file_path: filePathOf(id, name) }
    },
  },
}
