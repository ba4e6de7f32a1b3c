// The closed list of filters: each narrows the type of the context, and says at run time whether an update fits.
import type { FileInfo, Message, Update } from './api-types.ts'

type With<Of, Key extends keyof Of> = Of & { [Name in Key]-?: NonNullable<Of[Name]> }
type PayloadOf<Type extends Update['type']> = Omit<Extract<Update, { type: Type }>, 'id' | 'chat_id' | 'type'>
type MessageFields<Of> = { message: Of; text: Of extends { text: string } ? string : string | undefined }

export interface Filters {
  message: MessageFields<Message>
  'message:text': MessageFields<With<Message, 'text'>>
  'message:file': MessageFields<With<Message, 'file'>>
  'message:photo': MessageFields<With<Message, 'file'>>
  'message:voice': MessageFields<With<Message, 'file'>>
  'message:poll': MessageFields<With<Message, 'poll'>>
  'message:reply': MessageFields<With<Message, 'reply_to'>>
  edited: MessageFields<Message>
  poll: MessageFields<With<Message, 'poll'>>
  'poll:closed': MessageFields<With<Message, 'poll'>>
  deleted: PayloadOf<'deleted'>
  reaction: PayloadOf<'reaction'>
  button: PayloadOf<'button'>
  expired: PayloadOf<'expired'>
  chat: PayloadOf<'chat'>
  'chat:request': PayloadOf<'chat'>
  notice: PayloadOf<'notice'>
}
export type Filter = keyof Filters

/** A message with a file and a caption is a `message:file`: its text belongs to the file. */
const tests: { readonly [Name in Filter]: (update: Update) => boolean } = {
  message: ({ type }) => type === 'message',
  'message:text': update => isMessage(update, ({ text, file }) => text !== undefined && file === undefined),
  'message:file': update => isMessage(update, ({ file }) => file !== undefined),
  'message:photo': update => isMessage(update, ({ file }) => isOfKind(file, 'photo')),
  'message:voice': update => isMessage(update, ({ file }) => isOfKind(file, 'voice')),
  'message:poll': update => isMessage(update, ({ poll }) => poll !== undefined),
  'message:reply': update => isMessage(update, message => message.reply_to !== undefined),
  edited: ({ type }) => type === 'edited',
  poll: ({ type }) => type === 'poll',
  'poll:closed': update => update.type === 'poll' && update.message.poll?.closed === true,
  deleted: ({ type }) => type === 'deleted',
  reaction: ({ type }) => type === 'reaction',
  button: ({ type }) => type === 'button',
  expired: ({ type }) => type === 'expired',
  chat: ({ type }) => type === 'chat',
  'chat:request': update => update.type === 'chat' && update.chat.state === 'request',
  notice: ({ type }) => type === 'notice',
}

const isMessage = (update: Update, is: (message: Message) => boolean): boolean =>
  update.type === 'message' && is(update.message)

const isOfKind = (file: FileInfo | undefined, kind: FileInfo['kind']): boolean => file?.kind === kind

export const fits = (update: Update, filters: Filter | readonly Filter[]): boolean =>
  [filters].flat().some(filter => tests[filter](update))
