// The modules of a checkout, and the target of each import: a file, a builtin of Node or a package of npm.
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { type Manifest, type Project, readManifest } from '../project.ts'
import type { Declared } from './read-declarations.ts'
import { type Mention, readModule } from './read-module.ts'

export interface Import {
  readonly from: string
  readonly specifier: string
  /** A path from the root, `node:fs` or `npm:ws`; undefined when it leads nowhere. */
  readonly to: string | undefined
  /** The named package, as npm knows it; undefined for a path or a builtin. */
  readonly named: string | undefined
}

export interface Module {
  readonly path: string
  readonly imports: readonly Import[]
  readonly texts: readonly Mention[]
  readonly declares: readonly Declared[]
}

export interface ImportGraph {
  readonly modules: ReadonlyMap<string, Module>
  /** By the path of the folder; the root's is ''. */
  readonly manifests: ReadonlyMap<string, Manifest>
  readonly faults: readonly string[]
}

const sourceFile = /^(packages|e2e|bench|campaign|scripts)\/.*\.[cm]?[jt]sx?$/

/** The part of the repository that contains a file: `packages/core`, `bench`; '' for a file in none. */
export const partOf = (path: string): string => /^(packages\/[^/]+|e2e|bench|campaign|scripts)\//.exec(path)?.[1] ?? ''

/** Product code, not its tests. */
export const isSource = (path: string): boolean =>
  /^(packages\/[^/]+|bench|campaign)\/(src|bin)\//.test(path) || /^scripts\/(?!test\/)/.test(path)

const packageName = (specifier: string): string => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier

const readManifests = (project: Project): Map<string, Manifest> =>
  new Map(
    project.paths
      .filter(path => /^((packages\/[^/]+|e2e|bench|campaign)\/)?package\.json$/.test(path))
      .map(path => [path.replace(/\/?package\.json$/, ''), readManifest(project, path)]),
  )

interface Places {
  readonly paths: ReadonlySet<string>
  readonly manifests: ReadonlyMap<string, Manifest>
}

/** Vite's instructions for a file follow its path: `main.ts?worker&url`. */
const withoutQuery = (specifier: string): string => specifier.replace(/\?.*$/, '')

const resolveImport = (from: string, mention: Mention, { paths, manifests }: Places): Import => {
  const text = withoutQuery(mention.text)
  const made = { from, specifier: mention.text }
  if (/^\.{0,2}\//.test(text) || text === '.' || text === '..') {
    const path = posix.join(posix.dirname(from), text)
    return { ...made, to: paths.has(path) ? path : undefined, named: undefined }
  }
  if (isBuiltin(text)) return { ...made, to: `node:${text.replace(/^node:/, '')}`, named: undefined }
  const named = packageName(text)
  const ours = [...manifests].find(([, manifest]) => manifest.name === named)
  if (ours === undefined) return { ...made, to: `npm:${named}`, named }
  const [folder, { exports }] = ours
  const exported = exports?.[`.${text.slice(named.length)}`]
  const path = exported === undefined ? undefined : posix.join(folder, exported)
  return { ...made, to: path !== undefined && paths.has(path) ? path : undefined, named }
}

export const readImportGraph = (project: Project): ImportGraph => {
  const manifests = readManifests(project)
  const places = { paths: new Set(project.paths), manifests }
  const modules = new Map<string, Module>()
  const faults: string[] = []
  for (const path of project.paths.filter(path => sourceFile.test(path))) {
    const read = readModule(path, project.read(path))
    faults.push(...read.faults.map(fault => `${path} cannot be read: ${fault}`))
    modules.set(path, {
      path,
      imports: read.imports.map(mention => resolveImport(path, mention, places)),
      texts: read.texts,
      declares: read.declares,
    })
  }
  return { modules, manifests, faults }
}
