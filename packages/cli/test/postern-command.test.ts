import { expect, test } from 'vitest'
import { posternCommand } from '../src/demo/postern-command.ts'

const NODE = '/usr/bin/node'

test('[CLI-3.8] what is printed to be pasted calls the program as it was called', () => {
  const file = 'packages/cli/bin/postern.mjs'
  const called = (launcher: string, script?: string) =>
    posternCommand({ argv: [NODE, launcher, 'demo'], env: { npm_lifecycle_event: script } })
  expect(called(file, 'start')).toBe('npm run --silent postern --')
  expect(called('node_modules/.bin/postern', 'npx')).toBe('npx postern')
  expect(called('/usr/local/bin/postern')).toBe('postern')
  expect(called(file)).toBe(`node ${file}`)
})
