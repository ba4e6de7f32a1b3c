// Forms as browsers, libraries and careless programs write them, in pieces of any size.
import { endpoints, type FileFields } from '@postern/bot-api'
import { gatewayLimits } from '@postern/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { boundaryOf, openForm } from '../src/http/forms/forms.ts'

const rules = { ...endpoints.sendFile.form, fileBytesMax: 1000 }

async function* pieces(body: Buffer, sizes: readonly number[] = [7]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < body.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    yield body.subarray(at, at + size)
    at += size
  }
}

async function readForm(
  body: Buffer | string,
  { boundary = 'b', sizes }: { boundary?: string; sizes?: number[] } = {},
) {
  const form = await openForm(pieces(Buffer.from(body), sizes), { boundary, rules })
  const chunks: Uint8Array[] = []
  for await (const chunk of form.file.bytes) chunks.push(Uint8Array.from(chunk))
  const { name, declaredType } = form.file
  return { name, declaredType, bytes: Buffer.concat(chunks), fields: (await form.fields()) as FileFields }
}

const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const file = (content = 'hello', disposition = 'name="file"; filename="a.txt"', type = 'text/plain') =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`
const end = '--b--\r\n'

describe('what is right', () => {
  test('[GATEWAY-7.1] fields stand before and behind the file, and unknown ones are passed over', async () => {
    const around = [
      field('caption', 'hi'),
      file(),
      field('width', '5'),
      field('parse_mode', 'x'),
      field('kind', 'video'),
    ]
    for (const order of [
      [0, 1, 2, 3, 4],
      [1, 0, 2, 3, 4],
      [4, 3, 2, 0, 1],
    ]) {
      const form = await readForm(order.map(at => around[at]).join('') + end)
      expect(form).toMatchObject({ name: 'a.txt', declaredType: 'text/plain', bytes: Buffer.from('hello') })
      expect(form.fields).toEqual({ caption: 'hi', width: 5, kind: 'video' })
    }
  })

  test('[GATEWAY-7.1] an empty field is the same as none', async () => {
    const names = ['caption', 'reply_to', 'kind', 'duration_ms', 'width', 'height']
    const { fields } = await readForm(names.map(name => field(name, '')).join('') + file() + end)
    expect(fields).toEqual({ caption: '' })
  })

  test('[GATEWAY-7.1] a preamble, an epilogue, padding, and no line end behind the last delimiter', async () => {
    const padded = `preamble\r\n${file().replace('--b\r\n', '--b \t\r\n')}--b--`
    expect((await readForm(padded)).bytes.toString()).toBe('hello')
    expect((await readForm(`${file()}${end}--b\r\nepilogue`)).bytes.toString()).toBe('hello')
  })

  test('[GATEWAY-7.1] any bytes in any pieces come out as they went in', async () => {
    const near = fc.constantFrom('\r', '\n', '-', '\r\n', '\r\n-', '\r\n--', '\r\n--b'.slice(0, -1), '--b', 'x', '\0')
    const content = fc.array(near, { maxLength: 60 }).map(parts => parts.join(''))
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(content, content, sizes, async (bytes, caption, sizes) => {
        fc.pre(!bytes.includes('\r\n--b') && !caption.includes('\r\n--b'))
        const form = await readForm(field('caption', caption) + file(bytes) + end, { sizes })
        expect([form.bytes.toString(), form.fields.caption]).toEqual([bytes, caption])
      }),
    )
  })

  test('[GATEWAY-7.1] what FormData writes is read', async () => {
    const given = new FormData()
    given.set('caption', 'Привет 🎉\r\nline')
    given.set('file', new Blob([Buffer.from([0, 13, 10, 45, 45, 255])], { type: 'image/png' }), 'a "b" c\n\\d ü%.png')
    const request = new Request('http://x', { method: 'POST', body: given })
    const boundary = boundaryOf(request.headers.get('content-type') ?? '')
    const form = await readForm(Buffer.from(await request.arrayBuffer()), { boundary })
    expect(form).toMatchObject({ name: 'a "b" c\n\\d ü%.png', declaredType: 'image/png' })
    expect(form.bytes).toEqual(Buffer.from([0, 13, 10, 45, 45, 255]))
    expect(form.fields).toEqual({ caption: 'Привет 🎉\r\nline' })
  })

  test.each([
    ['name="file"; filename="a\\"b.txt"', 'a"b.txt'],
    ['name="file"; filename="C:\\new\\x.txt"', 'C:\\new\\x.txt'],
    ['name=file; filename=plain.txt', 'plain.txt'],
    ['name="file"; filename*=UTF-8\'\'na%C3%AFve.txt', 'naïve.txt'],
    ['name="file"; filename="x.txt"; filename*=utf-8\'en\'%e2%82%ac.txt', '€.txt'],
    ['name="file"; filename="x.txt"; filename*=UTF-8\'\'%ff', 'x.txt'],
    ['name="file"; filename=""', ''],
    ['name="file"', ''],
    ['NAME="file"; FileName="A.txt"', 'A.txt'],
  ])('[GATEWAY-7.1] the name in %s is %j', async (disposition, name) => {
    expect((await readForm(file('x', disposition) + end)).name).toBe(name)
  })

  test.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['Multipart/Form-Data; charset=utf-8; BOUNDARY="a b;c"', 'a b;c'],
    [`multipart/form-data; boundary=${'x'.repeat(70)}`, 'x'.repeat(70)],
  ])('[GATEWAY-7.1] %s', (type, boundary) => expect(boundaryOf(type)).toBe(boundary))
})

describe('what is wrong', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => field(`f${at}`, '')).join('')
  const wrong: [string, string, string | RegExp][] = [
    ['no file', field('caption', 'x') + end, 'file: is required.'],
    ['a file under another name', file('x', 'name="document"; filename="x"') + end, 'file: is required.'],
    ['two files', file() + file() + end, 'file: must be sent exactly once.'],
    ['a field twice', field('kind', 'file') + file() + field('kind', 'file') + end, 'kind: must not be repeated.'],
    ['a wrong field before', field('kind', 'x') + file(), 'kind: must be photo, video, voice or file.'],
    ['a wrong field behind', file() + field('width', '1.5') + end, 'width: must be a whole number from 1 to 100000.'],
    ['a width of 0', field('width', '0') + file() + end, 'width: must be a whole number from 1 to 100000.'],
    [
      'a height of 100001',
      field('height', '100001') + file() + end,
      'height: must be a whole number from 1 to 100000.',
    ],
    [
      'a long duration',
      field('duration_ms', '2592000001') + file() + end,
      /^duration_ms: must be a whole number from 0 to 2592000000/,
    ],
    ['a bad reply', field('reply_to', 'x') + file() + end, 'reply_to: is not a valid message id.'],
    [
      'a long caption',
      field('caption', 'x'.repeat(4097)) + file() + end,
      'caption: must have at most 4096 characters.',
    ],
    ['a huge caption', field('caption', 'x'.repeat(70_000)) + file() + end, 'caption: must have at most 65536 bytes.'],
    ['65 parts', many(64) + file() + end, 'body: must have at most 64 parts.'],
    ['a file that is too large', file('x'.repeat(1001)) + end, 'file: must have at most 1000 bytes.'],
    ['nothing', '', /^body: /],
    ['no delimiter', 'hello', /^body: /],
    ['only the end', end, 'file: is required.'],
    ['an end in the middle of the file', file().slice(0, -4), 'body: ends before the form is complete.'],
    ['no end', file(), 'body: ends before the form is complete.'],
    ['a part without a name', file('x', 'filename="x"') + end, 'body: must be a form in which every part has a name.'],
    [
      'another disposition',
      file().replace('form-data', 'attachment') + end,
      'body: must be a form in which every part has a name.',
    ],
    [
      'a head that never ends',
      `--b\r\n${'x'.repeat(gatewayLimits.formHeadBytesMax + 1)}`,
      /^body: must be valid multipart/,
    ],
    [
      'base64',
      file().replace('Type: text/plain', 'Transfer-Encoding: base64') + end,
      /^body: must be a form without Content-Transfer-Encoding/,
    ],
    ['something behind a delimiter', `--bx\r\n${file()}${end}`, /^body: must be valid multipart/],
  ]
  test.each(wrong)('[GATEWAY-7.1] %s: 400 that names it', async (_, body, sentence) => {
    for (const sizes of [[100_000], [1000, 1], [13]]) await expect(readForm(body, { sizes })).rejects.toThrow(sentence)
  })

  test('[GATEWAY-7.1] a caption that is no UTF-8', async () => {
    const [before, after] = (field('caption', '|') + file() + end).split('|')
    const body = Buffer.concat([Buffer.from(before ?? ''), Buffer.from([0xff]), Buffer.from(after ?? '')])
    await expect(readForm(body)).rejects.toThrow('caption: must be valid UTF-8.')
  })

  test.each([
    '',
    'application/json',
    'multipart/mixed; boundary=x',
    'multipart/form-data',
    'multipart/form-data; boundary=',
  ])('[GATEWAY-7.1] the Content-Type %j', type =>
    expect(() => boundaryOf(type)).toThrow('Content-Type: must be multipart/form-data with a boundary.'),
  )

  test('[GATEWAY-7.1] 64 parts and exactly so many bytes are allowed', async () => {
    expect((await readForm(many(63) + file('x'.repeat(1000)) + end)).bytes.length).toBe(1000)
    const { fields } = await readForm(field('caption', '🎉'.repeat(4096)) + file('') + end, { sizes: [1000] })
    expect(fields.caption).toBe('🎉'.repeat(4096))
  })
})
