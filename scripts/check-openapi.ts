// `node scripts/check-openapi.ts`: fails when a linter of OpenAPI documents complains about ours, in either version.
import { asOpenapi30, makeOpenapi } from '@postern/bot-api'
import { lintOpenapi } from './openapi/lint-openapi.ts'

const newer = makeOpenapi({ version: '1' })
const problems: string[] = []
for (const document of [newer, asOpenapi30(newer)])
  problems.push(...(await lintOpenapi(document)).map(problem => `OpenAPI ${document.openapi}: ${problem}`))
for (const problem of problems) console.log(problem)
process.exitCode = problems.length === 0 ? 0 : 1
