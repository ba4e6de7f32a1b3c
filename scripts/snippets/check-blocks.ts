// Every block of README, docs and the examples is typed by a test, or has a stated reason why none can.
import { type Block, parseMarkdown } from '../documents/markdown.ts'
import { type Check, documentsOf, type Project } from '../project.ts'
import { fileName } from './page-steps.ts'
import { untried } from './untried.ts'

const list = 'scripts/snippets/untried.ts'
const pagesTest = 'scripts/test/snippets.slow.test.ts'
const examplesTest = 'packages/cli/test/examples-readme.slow.test.ts'
const examples = 'examples/README.md'

/** A block and what becomes of it. Neither `typedBy` nor `why`: nobody has looked at it. */
export type CoveredBlock = { page: string; line: number; begins: string; typedBy?: string; why?: string }

const isRead = (page: string): boolean => page === 'README.md' || page === examples || page.startsWith('docs/')

export const blocksIn = (project: Project): CoveredBlock[] =>
  documentsOf(project)
    .filter(isRead)
    .flatMap(page => parseMarkdown(project.read(page)).blocks.map(block => coverOf(block, page)))

function coverOf(block: Block, page: string): CoveredBlock {
  const [begins = ''] = block.text.split('\n', 1)
  const covered = { page, line: block.firstLine, begins }
  const row = untried.find(one => one.page === page && `${block.text}\n`.startsWith(one.begins))
  if (row) return { ...covered, ...('why' in row ? { why: row.why } : { typedBy: row.typedBy }) }
  if (block.language === 'json') return { ...covered, typedBy: pagesTest }
  if (shownFile(block) !== undefined) return { ...covered, typedBy: 'scripts/snippets/check-blocks.ts' }
  if (block.language === 'sh' || fileName.test(begins))
    return { ...covered, typedBy: page === examples ? examplesTest : pagesTest }
  if (block.language === 'mermaid') return { ...covered, why: 'It is a picture.' }
  return covered
}

/** `# deploy/proxy/nginx.conf` above a text: the rest is a part of that file. */
const shownFile = ({ language, text }: Block): string | undefined =>
  language === 'text' ? /^# (deploy\/\S+)\n/.exec(text)?.[1] : undefined

function partProblems(project: Project, page: string): string[] {
  return parseMarkdown(project.read(page)).blocks.flatMap(block => {
    const path = shownFile(block)
    if (path === undefined) return []
    const shown = block.text.slice(block.text.indexOf('\n') + 1)
    const isPart = project.paths.includes(path) && project.read(path).includes(`${shown}\n`)
    return isPart ? [] : [`${page}:${block.firstLine}: ${path} does not contain this text.`]
  })
}

export const checkBlocks: Check = project => [
  ...blocksIn(project)
    .filter(({ typedBy, why }) => typedBy === undefined && why === undefined)
    .map(
      ({ page, line }) => `${page}:${line}: no test types this block. Add a row to ${list}, with the test or a reason.`,
    ),
  ...documentsOf(project).flatMap(page => partProblems(project, page)),
  ...untried.flatMap(row =>
    'typedBy' in row && !project.paths.includes(row.typedBy) ? [`${list}: ${row.typedBy} does not exist.`] : [],
  ),
]
