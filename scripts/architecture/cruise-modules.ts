// Reads the import graph of a checkout and says where it breaks the architecture's rules.

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { cruise, type IViolation } from 'dependency-cruiser'
import { architectureRules, packageMayUse } from './rules.ts'
import './teach-visitor-using.ts'

export interface Findings {
  readonly modulesRead: number
  readonly problems: readonly string[]
}

const describe = ({ rule, from, to, cycle, via }: IViolation): string => {
  const path = (cycle ?? via)?.map(step => step.name).join(' → ')
  const comment = architectureRules.find(candidate => candidate.name === rule.name)?.comment
  return `${rule.name}: ${from} → ${path ?? to}\n  ${comment ?? ''}`
}

const unknownPackages = (root: string): string[] =>
  readdirSync(join(root, 'packages'))
    .filter(name => !Object.hasOwn(packageMayUse, name))
    .map(name => `packages/${name} is not in the table of scripts/architecture/rules.ts: say there what it may use.`)

export const cruiseModules = async (root: string, modulesMin: number): Promise<Findings> => {
  const folders = ['packages', 'e2e', 'bench', 'campaign', 'scripts'].filter(folder => existsSync(join(root, folder)))
  const { output } = await cruise(folders, {
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: [...architectureRules] },
    // TypeScript 7 has no parser that dependency-cruiser could use: without swc it reads nothing and finds nothing.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.cjs', '.js', '.json', '.d.ts'],
    },
  })
  if (typeof output === 'string') throw new TypeError(`dependency-cruiser answered with a text: ${output}`)
  const modulesRead = output.modules.filter(module =>
    /^(packages|e2e|bench|campaign|scripts)\//.test(module.source),
  ).length
  const tooFew =
    modulesRead < modulesMin ? [`Only ${modulesRead} modules were read, expected ${modulesMin} or more.`] : []
  return { modulesRead, problems: [...tooFew, ...unknownPackages(root), ...output.summary.violations.map(describe)] }
}
