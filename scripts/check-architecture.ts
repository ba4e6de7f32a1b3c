// `node scripts/check-architecture.ts`: fails when an import breaks a rule of scripts/architecture/rules.ts.

import { join } from 'node:path'
import { cruiseModules } from './architecture/cruise-modules.ts'
import { MODULES_MIN } from './architecture/rules.ts'

const { modulesRead, problems } = await cruiseModules(join(import.meta.dirname, '..'), MODULES_MIN)
for (const problem of problems) console.log(problem)
console.log(`${modulesRead} modules read, ${problems.length} problems.`)
process.exitCode = problems.length === 0 ? 0 : 1
