// Reads a checkout once and checks it against all rules of this folder.
import type { Project } from '../project.ts'
import { checkFolders } from './check-folders.ts'
import { checkImports } from './check-imports.ts'
import { checkNames } from './check-names.ts'
import { checkTables } from './check-tables.ts'
import { type FolderLaw, folderLaw } from './folders.ts'
import { readImportGraph } from './import-graph.ts'
import { type NameLaw, nameLaw } from './names.ts'
import { packageMayUse } from './rules.ts'
import { type TableLaw, tableLaws } from './tables.ts'

export interface Law {
  /** Fewer modules than this mean that the reader found too little, not that the code is in order. */
  readonly modulesMin: number
  readonly folders: FolderLaw
  readonly tables: readonly TableLaw[]
  readonly names: NameLaw
}

export const law: Law = { modulesMin: 100, folders: folderLaw, tables: tableLaws, names: nameLaw }

export interface Findings {
  readonly modulesRead: number
  readonly problems: readonly string[]
}

const unknownPackages = ({ paths }: Project): string[] =>
  [...new Set(paths.flatMap(path => /^packages\/([^/]+)\//.exec(path)?.[1] ?? []))]
    .filter(name => !Object.hasOwn(packageMayUse, name))
    .map(name => `packages/${name} is not in the table of scripts/architecture/rules.ts: say there what it may use.`)

export const checkArchitecture = (project: Project, { modulesMin, folders, tables, names }: Law): Findings => {
  const graph = readImportGraph(project)
  const modulesRead = graph.modules.size
  const tooFew =
    modulesRead < modulesMin ? [`Only ${modulesRead} modules were read, expected ${modulesMin} or more.`] : []
  return {
    modulesRead,
    problems: [
      ...tooFew,
      ...graph.faults,
      ...unknownPackages(project),
      ...checkImports(graph),
      ...checkFolders(graph, folders),
      ...tables.flatMap(table => checkTables(graph, table)),
      ...checkNames(graph, names),
    ],
  }
}
