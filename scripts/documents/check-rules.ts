// Every numbered rule of a package's SPEC.md is in its order and has a test that names it; every test names an existing rule.
import type { Check, Project } from '../project.ts'
import { parseMarkdown } from './markdown.ts'

/** The statement of a rule: at the start of a line, after a list mark, a heading mark, a table's bar or bold. */
const statement = /^[\s>*|#-]*(?:\*\*|`)?([A-Z][A-Z0-9]*-\d+\.\d+)\b/
/** `[RELAY-2.7]`, or `[RELAY-2.7, CORE-1.8]`, in a text literal. */
const inTestName = /['"`][^'"`]*?\[([A-Z][A-Z0-9]*-\d+\.\d+(?:,\s*[A-Z][A-Z0-9]*-\d+\.\d+)*)\]/g

/** The package's name, so that a rule is found by its id alone. */
const partOf = (specification: string): string =>
  specification
    .replace(/\/SPEC\.md$/, '')
    .replace(/^.*\//, '')
    .replaceAll('-', '')
    .toUpperCase()

/** By their ids, with the place where they are first named. */
const testedRules = (project: Project): Map<string, string> => {
  const tested = new Map<string, string>()
  const sources = project.paths.filter(path => /(^|\/)test\/.*\.tsx?$/.test(path) && !path.startsWith('scripts/'))
  for (const path of sources)
    for (const line of project.read(path).split('\n'))
      for (const [, ids = ''] of line.matchAll(inTestName)) for (const id of ids.split(/,\s*/)) tested.set(id, path)
  return tested
}

interface Specification {
  readonly path: string
  readonly part: string
  readonly lines: readonly { readonly number: number; readonly text: string }[]
  readonly stated: readonly string[]
}

const readSpecification = (project: Project, path: string): Specification => {
  const { prose } = parseMarkdown(project.read(path))
  const stated = prose.map(({ text }) => statement.exec(text)?.[1]).filter(id => id !== undefined)
  return { path, part: partOf(path), lines: prose, stated }
}

/** Part, section, position: a rule is where its number says, and a new one is the last of its section. */
const orderProblems = ({ path, part, lines, stated }: Specification): string[] => {
  if (stated.length === 0) return [`${path}: states no rule; a rule is a line that begins with its id, ${part}-1.1.`]
  let section = 0
  let place = 0
  for (const { number, text } of lines) {
    const heading = /^## (\d*)/.exec(text)
    if (heading) [section, place] = [section + 1, 0]
    if (heading && heading[1] !== String(section)) return [`${path}:${number}: the section is number ${section}.`]
    const id = statement.exec(text)?.[1]
    if (id === undefined) continue
    place += 1
    if (id !== `${part}-${section}.${place}`)
      return [`${path}:${number}: ${id} stands where ${part}-${section}.${place} should.`]
  }
  return []
}

const mentionProblems = ({ path, lines }: Specification, known: ReadonlyMap<string, string>): string[] => {
  const parts = new Set([...known.keys()].map(id => id.replace(/-.*$/, '')))
  return lines.flatMap(({ number, text }) =>
    [...text.matchAll(/\b([A-Z][A-Z0-9]*)-\d+(?:\.\d+)?\b/g)]
      .filter(([id, part = '']) => parts.has(part) && !known.has(id))
      .map(([id]) => `${path}:${number}: there is no rule ${id}.`),
  )
}

export const checkRules: Check = project => {
  const specifications = project.paths
    .filter(path => path.endsWith('/SPEC.md'))
    .map(path => readSpecification(project, path))
  const known = new Map(specifications.flatMap(({ path, stated }) => stated.map(id => [id, path] as const)))
  const tested = testedRules(project)
  return [
    ...specifications.flatMap(orderProblems),
    ...specifications.flatMap(specification => mentionProblems(specification, known)),
    ...[...known].filter(([id]) => !tested.has(id)).map(([id, path]) => `${path}: no test is named [${id}].`),
    ...[...tested].filter(([id]) => !known.has(id)).map(([id, path]) => `${path}: [${id}] is no rule of any SPEC.md.`),
  ]
}
