// Forms with a file: their bytes, and ways to corrupt them.
import type { SeededRandom } from '@postern/testkit'
import { nastyText, nastyTexts } from './nasty-values.ts'
import type { Body, Form } from './request-shape.ts'

const BOUNDARY = 'campaign-boundary'

export function formBytes({ fields, file, fileName, copies = 1 }: Form): { bytes: Uint8Array; type: string } {
  const parts = fields.map(([name, value]) =>
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
  )
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: image/png\r\n\r\n`
  const files = Array.from({ length: copies }, () => [Buffer.from(head), file, Buffer.from('\r\n')])
  const bytes = Buffer.concat([...parts, ...files.flat(), Buffer.from(`--${BOUNDARY}--\r\n`)])
  return { bytes, type: `multipart/form-data; boundary=${BOUNDARY}` }
}

export function bentForm(form: Form, random: SeededRandom): Body {
  const bytesOf = (bytes: Uint8Array): Body => ({ kind: 'bytes', type: formBytes(form).type, bytes })
  const whole = Buffer.from(formBytes(form).bytes)
  const at = random.below(whole.length)
  switch (random.below(9)) {
    case 0:
      return bytesOf(whole.subarray(0, at))
    case 1:
      whole[at] = random.below(256)
      return bytesOf(whole)
    case 2:
      return bytesOf(Buffer.concat([whole, whole]))
    case 3:
      return bytesOf(Buffer.from(whole.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'))
    case 4:
      return bytesOf(
        Buffer.from(whole.toString('latin1').replace('name="file"', random.of(['name="f"', 'name=', 'x'])), 'latin1'),
      )
    case 5:
      return { kind: 'form', form: { ...form, fileName: nastyText(random) } }
    case 6:
      return { kind: 'form', form: { ...form, fields: Array.from({ length: 70 }, () => ['caption', 'x']) } }
    case 7:
      return { kind: 'form', form: { ...form, fields: [...form.fields, [random.of(nastyTexts), nastyText(random)]] } }
    default:
      return {
        kind: 'form',
        form: {
          ...form,
          fields: form.fields.map(([name, value]) => [name, random.below(2) === 0 ? nastyText(random) : value]),
        },
      }
  }
}
