// Buttons and the data behind them.
import { contentLimits } from '@postern/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buttonLimits } from '../src/buttons.ts'
import { Buttons, payload } from '../src/index.ts'
import { textCharsMax } from '../src/stream-text.ts'

test('[SDK-2.4] the limits are those of the gateway, and are named where they are broken', () => {
  expect([buttonLimits, textCharsMax]).toEqual([
    {
      rowsMax: contentLimits.buttonRowsMax,
      perRowMax: contentLimits.buttonsPerRowMax,
      textCharsMax: contentLimits.buttonTextCharsMax,
      dataBytesMax: contentLimits.buttonDataBytesMax,
    },
    contentLimits.textCharsMax,
  ])
  const six = new Buttons()
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) six.data(name, name)
  expect(six.build().map(row => row.length)).toEqual([2, 2, 2])
  expect(() => six.data('g', 'g')).toThrow('at most 3 rows of 2')
  expect(() => new Buttons().data('x'.repeat(65), 'x')).toThrow('at most 64 characters')
  expect(() => new Buttons().data('x', 'ö'.repeat(33))).toThrow('1 to 64 bytes, not 66')
  expect(() => new Buttons().data('x', '')).toThrow('1 to 64 bytes')
  expect(new Buttons().data('a', 'a').row().row().url('b', 'https://b.example').build()).toEqual([
    [{ text: 'a', data: 'a' }],
    [{ text: 'b', url: 'https://b.example' }],
  ])
  const go = payload('go', { env: 'string' })
  expect(() => go.pack({ env: 'x'.repeat(62) })).toThrow('1 to 64 bytes, not 65')
})

test('[SDK-2.4] a payload returns its values, and nothing for other data', () => {
  const all = payload('all', { text: 'string', number: 'number', flag: 'boolean' })
  const values = fc.record({ text: fc.string({ maxLength: 8 }), number: fc.integer(), flag: fc.boolean() })
  fc.assert(
    fc.property(values, value => {
      expect(all.parse(all.pack(value).packed)).toEqual(value)
    }),
  )
  fc.assert(
    fc.property(fc.string(), data => {
      const parsed = all.parse(data)
      if (parsed) expect(all.pack(parsed).packed).toBe(data)
    }),
  )
  for (const data of ['', 'all', 'all:x:1', 'all:x:1:1:1', 'other:x:1:1', 'all:x:one:1', 'all:x:1:yes', 'all:x::1'])
    expect(all.parse(data)).toBeUndefined()
  expect(() => all.pack({ text: 'x', number: Number.NaN, flag: true })).toThrow('no number')
})
