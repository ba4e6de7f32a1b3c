// Files of forms, in any order that can be sent, and where they can be fetched.
import { expect } from 'vitest'
import { refused, TOKEN, test } from './telegram.ts'

type Part = [name: string, value: string | Blob, fileName?: string]

function formOf(...parts: Part[]): { method: string; body: FormData } {
  const body = new FormData()
  for (const [name, value, fileName] of parts)
    if (typeof value === 'string') body.append(name, value)
    else body.append(name, value, fileName)
  return { method: 'POST', body }
}

const bytes = new Blob(['some bytes'])

test.for<[method: string, field: string, kind: string, shown: string]>([
  ['sendDocument', 'document', 'file', 'document'],
  ['sendVideo', 'video', 'video', 'video'],
  ['sendVoice', 'voice', 'voice', 'voice'],
  ['sendAudio', 'audio', 'file', 'document'],
  ['sendAnimation', 'animation', 'file', 'document'],
])('[TELEGRAM-8.1] %s', async ([method, field, kind, shown], { telegram, alice, chat }) => {
  const parts: Part[] = [
    ['chat_id', String(chat)],
    ['duration', '2'],
    [field, bytes, 'name.bin'],
    ['caption', '*late*'],
    ['parse_mode', 'Markdown'],
  ]
  const { status, body } = await telegram.fetch(method, formOf(...parts))
  expect([status, body]).toMatchObject([
    200,
    { result: { [shown]: { file_size: 10 }, caption: 'late', caption_entities: [{ type: 'bold' }] } },
  ])
  const { message } = await alice.next('message', event => event.message.file !== undefined)
  expect(message).toMatchObject({ text: 'late', file: { kind, size: 10, name: 'name.bin' } })
  const { file_id: id } = body.result[shown]
  const file = await telegram.ok('getFile', { file_id: id })
  const got = await fetch(`${telegram.root}/file/bot${TOKEN}/${file['file_path']}`)
  expect([got.status, await got.text()]).toEqual([200, 'some bytes'])
})

test('[TELEGRAM-8.2] attach:// names the part, other parts are passed, and a keyboard stands under the file', async ({
  telegram,
  alice,
  chat,
}) => {
  const keyboard = JSON.stringify({ inline_keyboard: [[{ text: 'a', callback_data: 'b' }]] })
  const form = formOf(
    ['chat_id', String(chat)],
    ['document', 'attach://two'],
    ['reply_markup', keyboard],
    ['one', new Blob(['a thumbnail']), 'thumbnail.jpg'],
    ['two', bytes, 'two.bin'],
  )
  expect((await telegram.fetch('sendDocument', form)).body.result).toMatchObject({ reply_markup: JSON.parse(keyboard) })
  const { message } = await alice.next('message', event => event.message.file !== undefined)
  expect(message).toMatchObject({ file: { name: 'two.bin' }, buttons: [[{ text: 'a', data: 'b' }]] })
})

test('[TELEGRAM-8.3] no file, an unknown file_id, an address, a chat that comes too late: 400', async ({
  telegram,
  chat,
}) => {
  const send = async (...parts: Part[]) => await telegram.fetch('sendDocument', formOf(...parts))
  const to: Part = ['chat_id', String(chat)]
  expect(await send(to)).toEqual(refused('Bad Request: there is no document in the request'))
  expect(await send(to, ['document', 'https://a.example/x'])).toEqual(refused(/must be uploaded/))
  expect(await telegram.call('sendPhoto', { chat_id: chat, photo: 'some id' })).toEqual(refused(/wrong file_id/))
  expect(await send(['document', bytes, 'x'], to)).toEqual(refused(/send it before the file/))
  expect(await send(to, ['document', bytes, 'x'], ['caption', 'x'.repeat(5000)])).toEqual(
    refused(/caption is too long/),
  )
  expect(await telegram.call('getFile', { file_id: 'nothing' })).toEqual(refused(/wrong file_id/))
  expect((await fetch(`${telegram.root}/file/bot${TOKEN}/nothing`)).status).toBe(400)
})

test('[TELEGRAM-8.4] a file is sent again by its file_id, without its caption, and once under a key', async ({
  telegram,
  alice,
  chat,
}) => {
  const form = formOf(['chat_id', String(chat)], ['document', bytes, 'name.bin'], ['caption', 'first'])
  const { file_id: id } = (await telegram.fetch('sendDocument', form)).body.result['document']
  await alice.next('message', event => event.message.text === 'first')
  const again = { chat_id: chat, document: id, caption: '*second*', parse_mode: 'Markdown' }
  const key = { 'idempotency-key': 'again' }
  const sent = await telegram.ok('sendDocument', again, key)
  expect(sent).toMatchObject({ caption: 'second', document: { file_size: 10, file_name: 'name.bin' } })
  expect((await telegram.ok('sendDocument', again, key))['message_id']).toBe(sent['message_id'])
  const { message } = await alice.next('message', event => event.message.text === 'second')
  expect(message).toMatchObject({ file: { size: 10, name: 'name.bin' }, entities: [{ type: 'bold' }] })
  expect(message.forwarded).toBeUndefined()
  const bare = await telegram.fetch('sendDocument', formOf(['chat_id', String(chat)], ['document', id]))
  expect(bare.body.result).toMatchObject({ document: { file_size: 10 } })
  expect(bare.body.result['caption']).toBeUndefined()
  await telegram.ok('deleteMessage', { chat_id: chat, message_id: sent['message_id'] })
  const gone = { chat_id: chat, document: sent['document'].file_id }
  expect(await telegram.call('sendDocument', gone)).toEqual(refused(/wrong file_id/))
})
