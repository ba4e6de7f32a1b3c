// The table in the documents is the one that the code makes.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compatibilityTable } from '../src/compatibility.ts'

const PAGE = new URL('../../../docs/telegram.md', import.meta.url)

test('[TELEGRAM-7.7] docs/telegram.md has the table of methods', () => {
  const [, table] = /<!-- compatibility -->\n([^]*)<!-- \/compatibility -->/.exec(readFileSync(PAGE, 'utf8')) ?? []
  expect(table?.trim()).toBe(compatibilityTable())
})
