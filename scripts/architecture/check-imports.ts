// Finds imports that lead nowhere, form a cycle, cross a package's border, are not declared or break a rule of rules.ts.
import type { Manifest } from '../project.ts'
import { findCycles, findWay } from './find-cycles.ts'
import { type Import, type ImportGraph, isSource, partOf } from './import-graph.ts'
import { type ImportRule, importRules } from './rules.ts'

/** The one door through which measurements look inside packages. */
const mayLookInside = new Set(['bench/src/inside.ts', 'bench/src/sdk/inside.ts'])

const importsOf = ({ modules }: ImportGraph): Import[] => [...modules.values()].flatMap(module => module.imports)

const deadImports = (graph: ImportGraph): string[] =>
  importsOf(graph)
    .filter(({ to }) => to === undefined)
    .map(
      ({ from, specifier }) => `no-dead-imports: ${from} → ${specifier}\n  What cannot be resolved cannot be checked.`,
    )

const importsAcross = (graph: ImportGraph): string[] =>
  importsOf(graph)
    .filter(
      ({ from, to, named }) =>
        named === undefined && to !== undefined && partOf(to) !== '' && partOf(to) !== partOf(from),
    )
    .filter(({ from }) => !mayLookInside.has(from))
    .map(
      ({ from, to }) =>
        `packages-by-name: ${from} → ${to}\n  Another package is imported by its name (@postern/…), so that its exports are its border.`,
    )

const namesIn = ({ dependencies, optionalDependencies }: Manifest = {}): string[] =>
  Object.keys({ ...dependencies, ...optionalDependencies })

/** These are tests as a whole: `npm ci` leaves out what only they need, as their development dependencies. */
const PARTS_FOR_TESTS = new Set(['packages/testkit', 'bench', 'campaign', 'e2e'])

/** Product code needs a dependency of its own package; a test may also use development dependencies, and the root's. */
const mayImport = ({ manifests }: ImportGraph, { from, named }: Import): boolean => {
  const own = manifests.get(partOf(from))
  const root = manifests.get('')
  const runs = isSource(from) && own !== undefined && !PARTS_FOR_TESTS.has(partOf(from))
  const forTests = Object.keys({ ...own?.devDependencies, ...root?.devDependencies })
  const workspaces = own === undefined ? [...manifests.values()].map(manifest => manifest.name) : [own.name]
  return [...workspaces, ...namesIn(own), ...(runs ? [] : [...forTests, ...namesIn(root)])].includes(named)
}

const undeclaredImports = (graph: ImportGraph): string[] =>
  importsOf(graph)
    .filter(one => one.named !== undefined && !mayImport(graph, one))
    .map(
      ({ from, named }) =>
        `undeclared-imports: ${from} → ${named}\n  Say in ${partOf(from)}/package.json what it needs: in "dependencies" what runs, in "devDependencies" what tests.`,
    )

const cycles = (graph: ImportGraph): string[] =>
  findCycles(graph).map(way => `no-cycles: ${way.join(' → ')}\n  Dependencies point one way, and types count.`)

const brokenRule = (graph: ImportGraph, rule: ImportRule): string[] => {
  const { name, comment, from, fromNot, to, toNot, reachable } = rule
  const isForbidden = (path: string): boolean => to.test(path) && toNot?.test(path) !== true
  const isBound = (path: string): boolean => from.test(path) && fromNot?.test(path) !== true
  const modules = [...graph.modules.values()].filter(({ path }) => isBound(path))
  const ways = modules.flatMap(({ path, imports }): string[][] => {
    if (reachable !== true)
      return imports.flatMap(({ to }) => (to !== undefined && isForbidden(to) ? [[path, to]] : []))
    const way = findWay(graph, path, isForbidden)
    // Reported only for the last of them: all modules that import it reach as far.
    return way === undefined || isBound(way[0] ?? '') ? [] : [[path, ...way]]
  })
  return ways.map(way => `${name}: ${way.join(' → ')}\n  ${comment}`)
}

export const checkImports = (graph: ImportGraph): string[] => [
  ...deadImports(graph),
  ...importsAcross(graph),
  ...undeclaredImports(graph),
  ...cycles(graph),
  ...importRules.flatMap(rule => brokenRule(graph, rule)),
]
