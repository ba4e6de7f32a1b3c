// `npm run blocks`: the table of all blocks in README, docs and examples, with the test that types each, or the reason.
import { join } from 'node:path'
import { openProject } from './project.ts'
import { blocksIn } from './snippets/check-blocks.ts'

for (const { page, line, begins, typedBy, why } of blocksIn(openProject(join(import.meta.dirname, '..'))))
  console.log([`${page}:${line}`, begins.slice(0, 60), typedBy ?? `not typed: ${why}`].join('\t'))
