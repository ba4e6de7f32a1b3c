// Refused and duplicate names must be found.
import { describe, expect, test } from 'vitest'
import { law, problemsOf } from './small-checkout.ts'

describe('names', () => {
  const client = 'packages/core/src/client.ts'
  const other = 'packages/core/src/other.ts'

  test.each([
    'export function takeEntry() {}',
    'export const takeEntry = async () => {}',
    'function takeEntry() {}',
    'export const take = () => {}',
  ])('a verb that is refused: %s', text => {
    expect(problemsOf({ [client]: text })).toEqual([
      expect.stringMatching(/^names: packages\/core\/src\/client\.ts declares take(Entry)?$/),
    ])
  })

  test.each(['export type Record = string', 'interface Record { a: 1 }', 'class Record {}'])(
    'a type of the language: %s',
    text => {
      expect(problemsOf({ [client]: text })).toEqual([`names: ${client} declares Record`])
    },
  )

  test.each([
    'export const taken = () => {}',
    'export const takeMs = 1',
    'const record = { takeEntry() {} }',
    "export { takeEntry } from './index.ts'",
  ])('in order: %s', text => {
    expect(problemsOf({ [client]: text })).toEqual([])
  })

  test.each(['Sending', 'Committed', 'Around', 'Once', 'Kept'])('an exported type that is no noun: %s', name => {
    expect(problemsOf({ [client]: `export type ${name} = 1` })).toEqual([`names: ${client} declares ${name}`])
    expect(problemsOf({ [client]: `class ${name} {}\nexport { ${name} }` })).toEqual([
      `names: ${client} declares ${name}`,
    ])
    expect(problemsOf({ [client]: `type ${name} = 1` })).toEqual([])
  })

  test.each(['Housekeeping', 'SendContext', 'PendingSend', 'KeptRow'])('an exported type that is a noun: %s', name => {
    expect(problemsOf({ [client]: `export type ${name} = 1` })).toEqual([])
  })

  test('a name that is exported is declared once in its package', () => {
    const sender = { [client]: 'export type Sender = 1' }
    const twice = `names: ${other} declares Sender, and ${client} exports it`
    expect(problemsOf({ ...sender, [other]: 'type Sender = 2' })).toEqual([twice])
    expect(problemsOf({ ...sender, [other]: 'type Sender = 2\nexport type { Sender }' })).toContain(twice)
    expect(problemsOf({ [client]: 'type Sender = 1', [other]: 'type Sender = 2' })).toEqual([])
    expect(problemsOf({ [client]: 'export const send = 1', [other]: 'const send = 2' })).toEqual([])
  })

  test('the name of an exported type is declared once in all packages; functions and values may share one', () => {
    const relay = 'packages/relay/src/other.ts'
    const sender = { [client]: 'export type Sender = 1' }
    const twice = `names: ${relay} declares Sender, and ${client} exports it`
    expect(problemsOf({ ...sender, [relay]: 'type Sender = 2' })).toEqual([twice])
    expect(problemsOf({ ...sender, [relay]: 'export type Sender = 2' })).toContain(twice)
    expect(problemsOf({ [client]: 'type Sender = 1', [relay]: 'type Sender = 2' })).toEqual([])
    expect(problemsOf({ [client]: 'export const send = 1', [relay]: 'export const send = 2' })).toEqual([])
  })

  test('a name that is left is let pass, and taken out of the list when it is gone', () => {
    const names = { ...law.names, left: { 'packages/core': ['takeEntry'] } }
    expect(problemsOf({ [client]: 'export const takeEntry = () => {}' }, { names })).toEqual([])
    expect(problemsOf({}, { names })).toEqual([expect.stringContaining('takeEntry of packages/core is in order')])
  })
})
