// `node scripts/check-documents.ts`: fails when a document is wrong.
import { join } from 'node:path'
import { checkApiPage } from './documents/check-api-page.ts'
import { checkCitations } from './documents/check-citations.ts'
import { checkDependencies } from './documents/check-dependencies.ts'
import { checkLockfile } from './documents/check-lockfile.ts'
import { checkPaths } from './documents/check-paths.ts'
import { checkProse } from './documents/check-prose.ts'
import { checkRules } from './documents/check-rules.ts'
import { checkSdkTypes } from './documents/check-sdk-types.ts'
import { checkSite } from './documents/check-site.ts'
import { checkSnippets } from './documents/check-snippets.ts'
import { checkWords } from './documents/check-words.ts'
import { documentsOf, openProject } from './project.ts'
import { checkBlocks } from './snippets/check-blocks.ts'

const project = openProject(join(import.meta.dirname, '..'))
const checks = [
  checkPaths,
  checkSnippets,
  checkBlocks,
  checkRules,
  checkCitations,
  checkDependencies,
  checkLockfile,
  checkWords,
  checkProse,
  checkApiPage,
  checkSdkTypes,
  checkSite,
]
const problems = checks.flatMap(check => check(project))
for (const problem of problems) console.log(problem)
console.log(`${documentsOf(project).length} documents read, ${problems.length} problems.`)
process.exitCode = problems.length === 0 ? 0 : 1
