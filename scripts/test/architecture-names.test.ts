// Names that are refused, or that stand twice, must be found.
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

  test('a name that is exported stands once in its package', () => {
    const sending = { [client]: 'export type Sending = 1' }
    const twice = `names: ${other} declares Sending, and ${client} exports it`
    expect(problemsOf({ ...sending, [other]: 'type Sending = 2' })).toEqual([twice])
    expect(problemsOf({ ...sending, [other]: 'type Sending = 2\nexport type { Sending }' })).toContain(twice)
    expect(problemsOf({ [client]: 'type Sending = 1', [other]: 'type Sending = 2' })).toEqual([])
    expect(problemsOf({ [client]: 'export const send = 1', [other]: 'const send = 2' })).toEqual([])
    expect(problemsOf({ ...sending, 'packages/relay/src/other.ts': 'export type Sending = 2' })).toEqual([])
  })

  test('a name that is left is let pass, and taken out of the list when it is gone', () => {
    const names = { ...law.names, left: { 'packages/core': ['takeEntry'] } }
    expect(problemsOf({ [client]: 'export const takeEntry = () => {}' }, { names })).toEqual([])
    expect(problemsOf({}, { names })).toEqual([expect.stringContaining('takeEntry of packages/core is in order')])
  })
})
