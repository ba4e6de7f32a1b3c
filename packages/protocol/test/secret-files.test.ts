// Secrets from files: what is read, and what each error says.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { secretFileLimits } from '../src/limits.ts'
import { withSecretFiles } from '../src/node.ts'

const names = ['ONE', 'TWO']

function fileOf(content: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'postern-secret-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'secret')
  writeFileSync(path, content)
  return path
}

test.each([
  ['as it is', 'a secret', 'a secret'],
  ['without the line break at the end', 'a secret\n', 'a secret'],
  ['without that of Windows', 'a secret\r\n', 'a secret'],
  ['with spaces around it, which may belong to it', ' a secret ', ' a secret '],
  ['with line breaks inside it', 'a\nsecret\n', 'a\nsecret'],
  ['of the greatest length', `${'x'.repeat(secretFileLimits.charsMax)}\n`, 'x'.repeat(secretFileLimits.charsMax)],
])('[PROTOCOL-3.4] a secret is read %s', (_, content, secret) => {
  const path = fileOf(content)
  expect(withSecretFiles({ ONE_FILE: path, OTHER: 'value' }, names)).toEqual({
    ONE: secret,
    ONE_FILE: path,
    OTHER: 'value',
  })
})

test('[PROTOCOL-3.4] a variable that is set to nothing counts as not set', () => {
  expect(withSecretFiles({ ONE: '', ONE_FILE: fileOf('a secret'), TWO: 'set', TWO_FILE: '' }, names)).toMatchObject({
    ONE: 'a secret',
    TWO: 'set',
  })
})

test.each([
  ['an empty file', () => ({ ONE_FILE: fileOf('\n') }), /^ONE_FILE: the file "\S+" is empty\.$/],
  [
    'a long file',
    () => ({ ONE_FILE: fileOf('x'.repeat(secretFileLimits.charsMax + 1)) }),
    /^ONE_FILE: the file "\S+" has more than 8192 characters\.$/,
  ],
  ['no file', () => ({ ONE_FILE: `${fileOf('')}.gone` }), /^ONE_FILE: the file "\S+" cannot be read \(ENOENT\)\.$/],
  ['a directory', () => ({ ONE_FILE: tmpdir() }), /^ONE_FILE: the file "\S+" cannot be read \(EISDIR\)\.$/],
  ['both', () => ({ ONE: 'set', ONE_FILE: fileOf('a secret') }), /^ONE_FILE: cannot be set together with ONE\.$/],
])('[PROTOCOL-3.4] %s is an error that names the variable', (_, env, sentence) => {
  expect(() => withSecretFiles(env(), names)).toThrow(sentence)
})

test.skipIf(process.getuid?.() === 0)('[PROTOCOL-3.4] so is a file that this user may not read', () => {
  const path = fileOf('a secret')
  chmodSync(path, 0o000)
  expect(() => withSecretFiles({ ONE_FILE: path }, names)).toThrow(/^ONE_FILE: .*\(EACCES\)\.$/)
})
