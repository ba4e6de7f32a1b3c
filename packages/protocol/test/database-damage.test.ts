// Whether an error that looks like damage is damage.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from 'vitest'
import { openConvinced } from '../src/database-damage-node.ts'

// oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
const test = base.extend('path', ({}, { onCleanup }) => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-damage-'))
  onCleanup(() => rmSync(directory, { recursive: true }))
  writeFileSync(join(directory, 'some.db'), 'bytes')
  return join(directory, 'some.db')
})

const corrupt = Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' })
const open = () => {
  throw corrupt
}
const checked = (result: string) => ({ check: () => result, close: () => undefined })

test('[CORE-11.27] a database that cannot be opened is called damaged if checks find the same damage', ({ path }) => {
  expect(() => openConvinced(path, { open, check: () => checked('row 1 missing') })).toThrow(corrupt)
})

test('[CORE-11.27] a disk that fails five times in a row is not called damage if it then reads the database whole', ({
  path,
}) => {
  const results = [...Array<string>(5).fill('row 1 missing'), 'ok']
  const check = () => checked(results.shift() ?? 'ok')
  expect(() => openConvinced(path, { open, check })).toThrow(expect.objectContaining({ code: 'storage-failed' }))
})

test('[CORE-11.27] and otherwise it is a disk that fails', ({ path }) => {
  const failing = expect.objectContaining({ code: 'storage-failed' })
  expect(() => openConvinced(path, { open, check: () => checked('ok') })).toThrow(failing)
})
