// Runs the commands of README and docs, page by page, with a real relay, a real gateway and Alice.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseMarkdown } from '../documents/markdown.ts'
import { documentsOf, openProject } from '../project.ts'
import { stepsOf } from '../snippets/page-steps.ts'
import { faultIn } from '../snippets/run-page.ts'
import { untried } from '../snippets/untried.ts'

const project = openProject(join(import.meta.dirname, '../..'))
const isForReaders = (path: string): boolean => path === 'README.md' || path.startsWith('docs/')
const pages = documentsOf(project)
  .filter(isForReaders)
  .map(path => ({ path, text: project.read(path) }))
const withCommands = pages.filter(({ text }) => stepsOf(text).some(({ kind }) => kind === 'shell'))

test.for(withCommands)('$path', async page => {
  expect(await faultIn(page, untried)).toBeUndefined()
})

test('what is left out is there', () => {
  const gone = untried.filter(one => {
    const page = pages.find(({ path }) => path === one.page)
    return !parseMarkdown(page?.text ?? '').blocks.some(({ text }) => `${text}\n`.startsWith(one.begins))
  })
  expect(gone).toEqual([])
})
