// Checks how documents and comments read: the length of lines and paragraphs in documents, and phrases that slow a reader down.
import { type Check, documentsOf } from '../project.ts'
import { commentsOf, idiomsIn, isSource, type Paragraph, paragraphsOf, sentencesOf, textOf, wordsIn } from './prose.ts'
import { sdkTypesPath } from './sdk-types.ts'

const lineCharsMax = 200
const paragraphWordsMax = 120

/** The target of a link cannot be broken into lines, so it does not count. */
const shownLength = (line: string): number => line.replaceAll(/\]\([^)]*\)/g, ']').length

const lengthProblems = (paragraph: Paragraph): string[] => {
  const words = wordsIn(textOf(paragraph))
  const long = paragraph.lines.flatMap((line, index) =>
    shownLength(line) > lineCharsMax
      ? [`${paragraph.firstLine + index}: the line has ${shownLength(line)} characters. Use at most ${lineCharsMax}.`]
      : [],
  )
  if (words <= paragraphWordsMax) return long
  return [...long, `${paragraph.firstLine}: the paragraph has ${words} words. Use at most ${paragraphWordsMax}.`]
}

const idiomProblems = (paragraph: Paragraph): string[] =>
  sentencesOf(textOf(paragraph)).flatMap(sentence =>
    idiomsIn(sentence).map(
      ({ name, instead }) => `${paragraph.firstLine}: ${name}: "${sentence}" Instead: ${instead}.`,
    ),
  )

export const proseProblems = (path: string, markdown: string): string[] =>
  paragraphsOf(markdown)
    .flatMap(paragraph => [...lengthProblems(paragraph), ...idiomProblems(paragraph)])
    .map(problem => `${path}:${problem}`)

export const commentProblems = (path: string, source: string): string[] =>
  commentsOf(path, source)
    .flatMap(idiomProblems)
    .map(problem => `${path}:${problem}`)

/** The sentences of the generated types are those of the table of endpoints, where they are read as descriptions. */
export const checkProse: Check = project => [
  ...documentsOf(project).flatMap(path => proseProblems(path, project.read(path))),
  ...project.paths
    .filter(path => isSource(path) && path !== sdkTypesPath)
    .flatMap(path => commentProblems(path, project.read(path))),
]
