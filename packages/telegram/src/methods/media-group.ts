// sendMediaGroup: several files as one album. Each is named by its file_id, or comes in the form.
import { type ChatId, contentLimits, gatewayLimits, type MessageId } from '@postern/protocol'
import type { ParsedWords } from '../formatting/telegram-words.ts'
import { readFileId } from '../ids/file-ids.ts'
import { Parameters } from '../parameters.ts'
import type { IncomingForm, MethodInput, TelegramFile, UploadedForm } from '../telegram-context.ts'
import { badRequest } from '../telegram-error.ts'
import { chatOf, type MethodParts, type Methods, replyOf, silentOf, wordsIn } from './method.ts'

const ATTACHED = 'attach://'

const kinds = { photo: 'photo', video: 'video', document: 'file', audio: 'file' } as const
type MediaType = keyof typeof kinds

/** `name`: as the request has it, `attach://` and the name of a part, or a file_id. */
type Media = { type: MediaType; name: string; fields: Parameters }

async function sendMediaGroup({ parameters, form, key }: MethodInput, parts: MethodParts): Promise<object[]> {
  const group = new MediaGroup({ parameters, form, parts })
  const { chat } = group
  const sent = await parts.context.call('sendAlbum', { params: { chat }, key, form: group.asForm() })
  const shown: object[] = []
  for (const message of sent) shown.push(await parts.views.message(message))
  return shown
}

type GroupParts = Pick<MethodInput, 'parameters' | 'form'> & { parts: MethodParts }

/** Some libraries write the list of media behind the files, so the files are put in order after the last one. */
class MediaGroup {
  readonly chat: ChatId
  readonly #parameters: Parameters
  readonly #form: UploadedForm | undefined
  readonly #parts: MethodParts
  /** The names of the files in the order in which they were read. */
  readonly #read: string[] = []

  constructor({ parameters, form, parts }: GroupParts) {
    this.#parameters = parameters
    this.#form = form
    this.#parts = parts
    if (!this.#now().has('chat_id')) throw badRequest('chat_id is empty: send it before the files')
    this.chat = chatOf(this.#now(), parts)
    if (!form || this.#now().has('media')) this.#media()
  }

  asForm(): IncomingForm {
    const files = this.#files()
    const nextFile = async (): Promise<TelegramFile | undefined> => (await files.next()).value
    return {
      bytesHint: this.#form?.bytesHint,
      open: async () => {
        const file = await nextFile()
        if (!file) throw badRequest('there are no messages to send')
        return {
          file,
          nextFile,
          fields: () => Promise.resolve(this.#fields()),
          order: () => this.#media().map(({ name }) => this.#read.indexOf(name)),
        }
      },
    }
  }

  /** The fields that were read so far. */
  #now(): Parameters {
    return new Parameters({ ...Object.fromEntries(this.#parameters.entries()), ...this.#form?.fields() })
  }

  #media(): Media[] {
    const media = (this.#now().objects('media') ?? []).map(mediaIn)
    if (media.length === 0) throw badRequest('there are no messages to send')
    if (media.length > contentLimits.albumFilesMax) throw badRequest('too many messages to send as an album')
    const types = new Set(media.map(({ type }) => type))
    for (const type of ['document', 'audio'] as const)
      if (types.has(type) && types.size > 1) throw badRequest(`${type} can't be mixed with other media types`)
    if (new Set(media.map(({ name }) => name)).size < media.length)
      throw badRequest('a file must not be in an album twice')
    return media
  }

  /** First those of the form, as they come, and then those that the bot has seen. */
  async *#files(): AsyncGenerator<TelegramFile, undefined> {
    for (let file = await this.#form?.nextFile(); file; file = await this.#form?.nextFile()) {
      const name = ATTACHED + file.field
      if (!this.#isWanted(name)) continue
      this.#read.push(name)
      yield file
    }
    for (const { name } of this.#media()) {
      if (this.#read.includes(name)) continue
      if (name.startsWith(ATTACHED)) throw badRequest(`there is no file ${name.slice(ATTACHED.length)} in the request`)
      const known = this.#known(name)
      this.#read.push(name)
      yield known
    }
    return undefined
  }

  /** While the list is not known, the files are kept: it may name them. */
  #isWanted(name: string): boolean {
    if (this.#read.includes(name)) return false
    if (this.#now().has('media')) return this.#media().some(media => media.name === name)
    if (this.#read.length >= contentLimits.albumFilesMax) throw badRequest('too many messages to send as an album')
    return true
  }

  #known(name: string): TelegramFile {
    const { chat, message } = readFileId(name)
    const file = this.#parts.views.find(chat, message)?.file
    if (!file) throw badRequest('wrong file_id or the file is temporarily unavailable')
    return { name: file.name, declaredType: file.type, bytes: this.#bytesOf(chat, message) }
  }

  async *#bytesOf(chat: ChatId, message: MessageId): AsyncGenerator<Uint8Array> {
    const { files } = this.#parts.context.client
    yield* (await files.open(chat, message, { timeoutMs: gatewayLimits.sendWithinMs })).read()
  }

  #fields(): Record<string, string> {
    const [now, media] = [this.#now(), this.#media()]
    const { text, entities, mentions } = joined(
      media.map(({ fields }) =>
        wordsIn(fields, this.#parts, { text: fields.text('caption') ?? '', entities: 'caption_entities' }),
      ),
    )
    const { reply_to: reply } = replyOf(now, this.#parts, this.chat)
    const [kind, ...others] = new Set(media.map(({ type }) => kinds[type]))
    return {
      ...(text !== '' && { caption: text }),
      ...(entities && { entities: JSON.stringify(entities) }),
      ...(mentions && { mentions: JSON.stringify(mentions) }),
      // The bytes decide which files of a mixed album are photos.
      ...(kind && others.length === 0 && { kind }),
      ...(reply && { reply_to: reply }),
      ...(silentOf(now).silent && { silent: 'true' }),
    }
  }
}

function mediaIn(fields: Parameters, at: number): Media {
  const type = fields.need('type')
  if (!Object.hasOwn(kinds, type)) throw badRequest(`media[${at}].type must be photo, video, document or audio`)
  const name = fields.need('media')
  if (/^https?:/i.test(name)) throw badRequest(`media[${at}] must be uploaded: this gateway sends no file by URL`)
  return { type: type as MediaType, name, fields }
}

/** An album has one caption here: the captions of its files follow each other, each on its own line. */
function joined(captions: readonly ParsedWords[]): ParsedWords {
  const whole: Required<ParsedWords> = { text: '', entities: [], mentions: [] }
  for (const { text, entities = [], mentions = [] } of captions) {
    if (text === '') continue
    if (whole.text !== '') whole.text += '\n'
    const from = whole.text.length
    whole.text += text
    whole.entities.push(...entities.map(entity => ({ ...entity, offset: entity.offset + from })))
    whole.mentions.push(...mentions.map(mention => ({ ...mention, offset: mention.offset + from })))
  }
  const { text, entities, mentions } = whole
  return { text, ...(entities.length > 0 && { entities }), ...(mentions.length > 0 && { mentions }) }
}

export const mediaGroupMethods: Methods = {
  sendMediaGroup: {
    fits: 'partly',
    note: 'Up to 10 files, by upload or `file_id`. An album has one caption: several are joined, under the first file.',
    run: sendMediaGroup,
  },
}
