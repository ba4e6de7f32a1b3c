// Finds imports against the order of the folders, and folders without a place in it.
import { type FolderException, type FolderLaw, otherFiles } from './folders.ts'
import { type Import, type ImportGraph, isSource } from './import-graph.ts'

interface Place {
  readonly row: number
  readonly entry: string
}

/** A file's position in the list of one of its folders: by the longest entry that names it or a folder around it. */
const placeOf = (law: FolderLaw, folder: string, path: string): Place | undefined => {
  const inside = path.slice(folder.length + 1)
  const entries = (law.order[folder] ?? []).flatMap((row, at) => [row].flat().map(entry => ({ row: at, entry })))
  const [named] = entries
    .filter(({ entry }) => inside === entry || inside.startsWith(`${entry}/`))
    .sort((one, other) => other.entry.length - one.entry.length)
  return named ?? (inside.includes('/') ? undefined : entries.find(({ entry }) => entry === otherFiles))
}

const foldersAround = (path: string): string[] =>
  path.split('/').flatMap((_, at, steps) => (at === 0 ? [] : [steps.slice(0, at).join('/')]))

/** Folders that need an order inside: source folders that contain more than files. */
const needsOrder = (graph: ImportGraph): Set<string> =>
  new Set(
    [...graph.modules.keys()]
      .filter(isSource)
      .flatMap(path => foldersAround(path).slice(0, -1))
      .filter(folder => /(^|\/)src(\/|$)/.test(folder) || folder === 'scripts'),
  )

const missingLists = (graph: ImportGraph, law: FolderLaw): string[] =>
  [...needsOrder(graph)]
    .filter(folder => law.order[folder] === undefined)
    .map(
      folder => `folder-order: ${folder} has no list in scripts/architecture/folders.ts: say there what comes first.`,
    )

const missingPlaces = (graph: ImportGraph, law: FolderLaw): string[] => {
  const missing = [...graph.modules.keys()].filter(isSource).flatMap(path =>
    foldersAround(path)
      .filter(folder => law.order[folder] !== undefined && placeOf(law, folder, path) === undefined)
      .map(folder => `${folder}/${path.slice(folder.length + 1).split('/')[0]}`),
  )
  return [...new Set(missing)].map(
    path => `folder-order: ${path} has no place in scripts/architecture/folders.ts: say there what it stands above.`,
  )
}

/** Entries that name nothing: a list with stale entries is not read any more. */
const deadEntries = (graph: ImportGraph, law: FolderLaw): string[] => {
  const paths = [...graph.modules.keys()]
  return Object.entries(law.order).flatMap(([folder, rows]) =>
    rows
      .flat()
      .filter(entry => entry !== otherFiles)
      .map(entry => `${folder}/${entry}`)
      .filter(entry => !paths.some(path => path === entry || path.startsWith(`${entry}/`)))
      .map(entry => `folder-order: ${entry} stands in scripts/architecture/folders.ts and does not exist.`),
  )
}

/** The list that an import violates, upwards or sideways. */
const brokenList = (law: FolderLaw, { from, to = '' }: Import): string | undefined =>
  foldersAround(from)
    .filter(folder => to.startsWith(`${folder}/`))
    .find(folder => {
      const [above, below] = [placeOf(law, folder, from), placeOf(law, folder, to)]
      return above !== undefined && below !== undefined && above.entry !== below.entry && below.row >= above.row
    })

const isExcepted = ({ from, to }: FolderException, one: Import): boolean => one.from === from && one.to === to

export const checkFolders = (graph: ImportGraph, law: FolderLaw): string[] => {
  const up = [...graph.modules.values()]
    .filter(({ path }) => isSource(path))
    .flatMap(({ imports }) => imports)
    .flatMap(one => {
      const folder = brokenList(law, one)
      return folder === undefined ? [] : [{ one, folder }]
    })
  return [
    ...missingLists(graph, law),
    ...missingPlaces(graph, law),
    ...deadEntries(graph, law),
    ...up
      .filter(({ one }) => !law.exceptions.some(exception => isExcepted(exception, one)))
      .map(
        ({ one, folder }) =>
          `folder-order: ${one.from} → ${one.to}\n  In the list of ${folder} what is imported does not stand below.`,
      ),
    ...law.exceptions
      .filter(exception => !up.some(({ one }) => isExcepted(exception, one)))
      .map(({ from, to }) => `folder-order: the exception for ${from} → ${to} is not needed any more: take it out.`),
  ]
}
