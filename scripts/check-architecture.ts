// `node scripts/check-architecture.ts`: fails when the code breaks a rule of scripts/architecture.
import { join } from 'node:path'
import { checkArchitecture, law } from './architecture/check-architecture.ts'
import { openProject } from './project.ts'

const { modulesRead, problems } = checkArchitecture(openProject(join(import.meta.dirname, '..')), law)
for (const problem of problems) console.log(problem)
console.log(`${modulesRead} modules read, ${problems.length} problems.`)
process.exitCode = problems.length === 0 ? 0 : 1
