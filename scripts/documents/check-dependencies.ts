// Every dependency is a decision: docs/dependencies.md says why we have it and under which licence, and nothing else.
import { type Check, type Project, readManifest } from '../project.ts'
import { parseMarkdown } from './markdown.ts'

const table = 'docs/dependencies.md'

interface Row {
  readonly name: string
  readonly licence: string
  readonly reason: string
}

const rowsOf = (text: string): Row[] =>
  parseMarkdown(text).prose.flatMap(line => {
    const [, name, licence, reason] = line.text.split('|').map(cell => cell.trim())
    const plainName = /^`([^`]+)`$/.exec(name ?? '')?.[1]
    return plainName === undefined ? [] : [{ name: plainName, licence: licence ?? '', reason: reason ?? '' }]
  })

interface Use {
  readonly name: string
  readonly version: string
  readonly path: string
}

const usesOf = (project: Project): Use[] =>
  project.paths
    .filter(path => /^((packages|examples)\/[^/]+\/|bench\/|campaign\/|site\/)?package\.json$/.test(path))
    .flatMap(path => {
      const { dependencies, devDependencies, optionalDependencies } = readManifest(project, path)
      return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
        .filter(([name]) => !name.startsWith('@postern/'))
        .map(([name, version]) => ({ name, version, path }))
    })

const versionProblems = (uses: readonly Use[]): string[] =>
  uses.flatMap(({ name, version, path }) => {
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) return [`${path}: ${name} ${version} is not an exact version.`]
    const other = uses.find(use => use.name === name && use.version !== version)
    return other === undefined ? [] : [`${path}: ${name} is ${version} here and ${other.version} in ${other.path}.`]
  })

const rowProblems = (project: Project, { name, licence, reason }: Row): string[] => {
  const installed = project.installedLicence(name)
  return [
    ...(licence === '' ? [`${table}: ${name} has no licence.`] : []),
    ...(licence !== '' && installed !== undefined && installed !== licence
      ? [`${table}: ${name} is under ${installed}, not ${licence}.`]
      : []),
    ...(/\w.*\.$/.test(reason) ? [] : [`${table}: ${name} needs a sentence that says why it is there.`]),
  ]
}

export const checkDependencies: Check = project => {
  const uses = usesOf(project)
  const rows = project.paths.includes(table) ? rowsOf(project.read(table)) : []
  const used = new Set(uses.map(use => use.name))
  const listed = rows.map(row => row.name)
  return [
    ...versionProblems(uses),
    ...[...used].filter(name => !listed.includes(name)).map(name => `${table}: ${name} has no row.`),
    ...listed.filter(name => !used.has(name)).map(name => `${table}: ${name} is in no package.json.`),
    ...listed.filter((name, at) => listed.indexOf(name) !== at).map(name => `${table}: ${name} has two rows.`),
    ...rows.flatMap(row => rowProblems(project, row)),
  ]
}
