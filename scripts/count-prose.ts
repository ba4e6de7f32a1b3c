// `npm run prose` counts sentences with phrases that this project no longer writes. `npm run prose -- docs/relay.md` lists those of a file.
import { join } from 'node:path'
import { commentProblems, proseProblems } from './documents/check-prose.ts'
import {
  commentsOf,
  idioms,
  idiomsIn,
  isSource,
  paragraphsOf,
  sentencesOf,
  textOf,
  wordsIn,
} from './documents/prose.ts'
import { documentsOf, openProject, type Project } from './project.ts'

const project = openProject(join(import.meta.dirname, '..'))

const groups: Readonly<Record<string, (path: string) => boolean>> = {
  'comments in packages/*/src': path => isSource(path) && /^packages\/[^/]+\/src\//.test(path),
  'other comments': path => isSource(path) && !/^packages\/[^/]+\/src\//.test(path),
  'packages/*/SPEC.md': path => /^packages\/[^/]+\/SPEC\.md$/.test(path),
  'other documents': path => path.endsWith('.md') && !/^packages\/[^/]+\/SPEC\.md$/.test(path),
}

const sentencesIn = ({ read }: Project, path: string): string[] =>
  (isSource(path) ? commentsOf(path, read(path)) : paragraphsOf(read(path))).flatMap(paragraph =>
    sentencesOf(textOf(paragraph)),
  )

const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(whole, 1)).toFixed(1)} %`

const countGroup = (name: string, isInGroup: (path: string) => boolean): void => {
  const sentences = project.paths.filter(isInGroup).flatMap(path => sentencesIn(project, path))
  const found = sentences.map(sentence => idiomsIn(sentence))
  const lengths = sentences.map(wordsIn).toSorted((a, b) => a - b)
  const withOne = found.filter(({ length }) => length > 0).length
  const withTwo = found.filter(({ length }) => length > 1).length
  console.log(`${name}: ${sentences.length} sentences`)
  console.log(`  with at least one ${withOne} (${percent(withOne, sentences.length)}), with two or more ${withTwo}`)
  const ninetieth = lengths[Math.floor(lengths.length * 0.9)]
  console.log(`  median ${lengths[Math.floor(lengths.length / 2)]} words, 90 % have at most ${ninetieth}`)
  for (const idiom of idioms)
    console.log(`  ${String(found.filter(some => some.includes(idiom)).length).padStart(5)} ${idiom.name}`)
}

const listFile = (path: string): void => {
  const problemsOf = isSource(path) ? commentProblems : proseProblems
  for (const problem of problemsOf(path, project.read(path))) console.log(problem)
}

const files = process.argv.slice(2)
for (const path of files) listFile(path)
if (files.length === 0) {
  for (const [name, isInGroup] of Object.entries(groups)) countGroup(name, isInGroup)
  const failing = documentsOf(project).filter(path => proseProblems(path, project.read(path)).length > 0)
  console.log(`${failing.length} of ${documentsOf(project).length} documents are not rewritten yet.`)
}
