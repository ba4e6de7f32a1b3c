// Names of files as friends and enemies write them.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeFileName } from '../src/file-name.ts'
import { charCount } from '../src/text.ts'

test.each([
  ['report.pdf', 'report.pdf'],
  ['Отчёт за май.pdf', 'Отчёт за май.pdf'],
  ['👨‍👩‍👧.jpg', '👨‍👩‍👧.jpg'],
  ['a "quoted" name; x=y.txt', 'a "quoted" name; x=y.txt'],
  ['.bashrc', '.bashrc'],
  ['%2e%2e%2fetc', '%2e%2e%2fetc'],
  ['/etc/passwd', 'passwd'],
  ['../../../etc/passwd', 'passwd'],
  ['C:\\Users\\alice\\photo.jpg', 'photo.jpg'],
  ['a/b\\c/..', 'file'],
  ['photos/', 'file'],
  ['', 'file'],
  ['.', 'file'],
  ['..', 'file'],
  ['...', 'file'],
  ['  . . ', 'file'],
  ['\0\x07\x1b', 'file'],
  ['a\0b\r\nc\x7f\u0085.txt', 'abc.txt'],
  ['invoice\u202efdp.exe', 'invoicefdp.exe'],
  ['\u2066\u2069\u200e\u200f\u061cx.txt', 'x.txt'],
  ['a\u2028b\u2029.txt', 'ab.txt'],
  ['half \ud800.txt', 'half .txt'],
  ['  padded.txt \t', 'padded.txt'],
])('[PROTOCOL-2.5] %j becomes %j', (text, name) => expect(safeFileName(text)).toBe(name))

test('[PROTOCOL-2.5] a long name is cut, and its extension stays', () => {
  expect(safeFileName(`${'a'.repeat(251)}.txt`)).toBe(`${'a'.repeat(251)}.txt`)
  expect(safeFileName(`${'a'.repeat(252)}.txt`)).toBe(`${'a'.repeat(251)}.txt`)
  expect(safeFileName(`${'a'.repeat(4000)}.tar`)).toBe(`${'a'.repeat(251)}.tar`)
  expect(safeFileName('🎉'.repeat(300))).toBe('🎉'.repeat(255))
  expect(safeFileName(`.${'a'.repeat(300)}`)).toBe(`.${'a'.repeat(254)}`)
  expect(safeFileName(`a.${'b'.repeat(300)}`)).toBe(`a.${'b'.repeat(253)}`)
})

test('[PROTOCOL-2.5] any text becomes a safe name, and a safe name stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), text => {
      const name = safeFileName(text)
      expect(name).not.toMatch(/[/\\\p{Cc}\p{Cs}\p{Bidi_Control}]|^[.\s]*$/u)
      expect(charCount(name)).toBeLessThanOrEqual(255)
      expect(safeFileName(name)).toBe(name)
    }),
  )
})
