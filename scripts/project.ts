// The files of the repository for the checks of documents and of the architecture: a list of paths and a way to read one.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Project {
  /** Paths from the root, with forward slashes. */
  readonly paths: readonly string[]
  read(path: string): string
  /** The licence that an installed dependency declares; a platform's package is not installed on another platform. */
  installedLicence(name: string): string | undefined
}

/** A check returns its problems, one line each; an empty list means success. */
export type Check = (project: Project) => string[]

const notOurs = new Set(['node_modules', '.git', '.postern', 'coverage', 'dist'])

const listFiles = (root: string, folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (notOurs.has(entry.name)) return []
    return entry.isDirectory() ? listFiles(root, path) : [path]
  })

export const openProject = (root: string): Project => ({
  paths: listFiles(root, ''),
  read: path => readFileSync(join(root, path), 'utf8'),
  installedLicence: name => {
    const path = join(root, 'node_modules', name, 'package.json')
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest).license : undefined
  },
})

/** A file, or a folder with a file in it. */
export const isThere = (project: Project, path: string): boolean => {
  const plain = path.replace(/\/$/, '')
  return plain === '' || plain === '.' || project.paths.some(file => file === plain || file.startsWith(`${plain}/`))
}

export const documentsOf = (project: Project): string[] => project.paths.filter(path => path.endsWith('.md'))

export interface Manifest {
  readonly name?: string
  readonly exports?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly license?: string
}

export const readManifest = (project: Project, path: string): Manifest => JSON.parse(project.read(path)) as Manifest
