// Every numbered rule of a package's SPEC.md has a test that names it, and every test names a rule that is there.

import { parseMarkdown } from './markdown.ts'
import type { Check, Project } from './project.ts'

/** Where a rule is stated: at the start of a line, behind a list mark, a heading mark, a table's bar or bold. */
const statement = /^[\s>*|#-]*(?:\*\*|`)?R(\d+)\b/
const mention = /\bR(\d+)\b/g
/** `[R7]`, or `[R7, R8]`, in a text literal. */
const inTestName = /['"`][^'"`]*?\[(R\d+(?:,\s*R\d+)*)\]/g

const numbersIn = (text: string): string[] => [...text.matchAll(mention)].map(match => match[1] ?? '')

const testedRules = (project: Project, home: string): Map<string, string> => {
  const tested = new Map<string, string>()
  const sources = project.paths.filter(path => path.startsWith(`${home}/test/`) && /\.tsx?$/.test(path))
  for (const path of sources)
    for (const line of project.read(path).split('\n'))
      for (const [, ids = ''] of line.matchAll(inTestName)) for (const id of numbersIn(ids)) tested.set(id, path)
  return tested
}

const problemsOf = (project: Project, specification: string): string[] => {
  const home = specification.replace(/\/SPEC\.md$/, '')
  const { prose } = parseMarkdown(project.read(specification))
  const stated = prose.map(({ text }) => statement.exec(text)?.[1]).filter(id => id !== undefined)
  const tested = testedRules(project, home)
  const known = new Set(stated)
  return [
    ...(known.size === 0
      ? [`${specification}: states no rule; a rule is a line that begins with its number, R1.`]
      : []),
    ...[...known]
      .filter(id => stated.indexOf(id) !== stated.lastIndexOf(id))
      .map(id => `${specification}: R${id} is stated twice.`),
    ...prose.flatMap(({ number, text }) =>
      numbersIn(text)
        .filter(id => !known.has(id))
        .map(id => `${specification}:${number}: there is no rule R${id}.`),
    ),
    ...[...known].filter(id => !tested.has(id)).map(id => `${specification}: no test of ${home} is named [R${id}].`),
    ...[...tested]
      .filter(([id]) => !known.has(id))
      .map(([id, path]) => `${path}: [R${id}] is no rule of ${specification}.`),
  ]
}

export const checkRules: Check = project => {
  const specifications = project.paths.filter(path => /^(packages\/[^/]+|bench|campaign|scripts)\/SPEC\.md$/.test(path))
  const homes = new Set(project.paths.map(path => /^(packages\/[^/]+|bench|campaign)\/test\//.exec(path)?.[1]))
  const withoutSpecification = [...homes].filter(
    home => home !== undefined && !specifications.includes(`${home}/SPEC.md`) && testedRules(project, home).size > 0,
  )
  return [
    ...withoutSpecification.map(home => `${home}/SPEC.md does not exist, but tests there name its rules.`),
    ...specifications.flatMap(specification => problemsOf(project, specification)),
  ]
}
