// Each way to break the order of folders must be found.
import { describe, expect, test } from 'vitest'
import type { Law } from '../architecture/check-architecture.ts'
import { type Files, law, problemsOf } from './small-checkout.ts'

describe('folder-order', () => {
  const ordered = (order: Law['folders']['order'], exceptions: Law['folders']['exceptions'] = []): Partial<Law> => ({
    folders: { order: { ...law.folders.order, ...order }, exceptions },
  })
  const core = { 'packages/core/src': ['storage', ['journal', 'groups'], '*.ts'] }
  const folders: Files = {
    'packages/core/src/storage/store.ts': 'export const store = 1',
    'packages/core/src/journal/journal.ts': "export { store } from '../storage/store.ts'",
    'packages/core/src/groups/groups.ts':
      "import type { store } from '../storage/store.ts'\nexport type S = typeof store",
    'packages/core/src/client.ts': "import './index.ts'\nimport './groups/groups.ts'",
  }
  const found = (changed: Files, changedLaw = ordered(core)): string[] =>
    problemsOf({ ...folders, ...changed }, changedLaw)

  test('imports that go down are in order', () => {
    expect(found({})).toEqual([])
  })

  test.each([
    ['up', 'packages/core/src/storage/new.ts', '../journal/journal.ts', 'packages/core/src/journal/journal.ts'],
    ['up to a file', 'packages/core/src/storage/new.ts', '../client.ts', 'packages/core/src/client.ts'],
    ['sideways', 'packages/core/src/journal/new.ts', '../groups/groups.ts', 'packages/core/src/groups/groups.ts'],
  ])('%s is not', (_, path, specifier, to) => {
    expect(found({ [path]: `import type {} from '${specifier}'` })).toEqual([`folder-order: ${path} → ${to}`])
  })

  test('a file of a folder can have a row of its own', () => {
    const order = ordered({ 'packages/core/src': ['groups/groups.ts', 'storage', ['journal', 'groups'], '*.ts'] })
    expect(found({}, order)).toEqual([
      'folder-order: packages/core/src/groups/groups.ts → packages/core/src/storage/store.ts',
    ])
  })

  test('a folder in a folder has its order, too', () => {
    const deep = { 'packages/core/src/groups/keys/keys.ts': "import '../groups.ts'" }
    expect(found(deep)).toEqual([expect.stringContaining('folder-order: packages/core/src/groups has no list')])
    expect(found(deep, ordered({ ...core, 'packages/core/src/groups': ['keys', '*.ts'] }))).toEqual([
      'folder-order: packages/core/src/groups/keys/keys.ts → packages/core/src/groups/groups.ts',
    ])
  })

  test('what has no place, and what is gone, is named', () => {
    expect(found({ 'packages/core/src/files/files.ts': '' })).toEqual([
      expect.stringContaining('folder-order: packages/core/src/files has no place'),
    ])
    expect(found({}, ordered({ 'packages/core/src': ['judge', ...core['packages/core/src']] }))).toEqual([
      'folder-order: packages/core/src/judge stands in scripts/architecture/folders.ts and does not exist.',
    ])
  })

  test('an exception lets one import pass, and fails when it is not needed', () => {
    const up = { 'packages/core/src/storage/new.ts': "import '../journal/journal.ts'" }
    const excepted = ordered(core, [
      { from: 'packages/core/src/storage/new.ts', to: 'packages/core/src/journal/journal.ts', reason: 'For now.' },
    ])
    expect(found(up, excepted)).toEqual([])
    expect(found({}, excepted)).toEqual([
      expect.stringContaining('storage/new.ts → packages/core/src/journal/journal.ts is not needed any more'),
    ])
  })
})
