// Checks how the documents read: the length of lines and paragraphs, and phrases that slow a reader down.
import { type Check, documentsOf } from '../project.ts'
import { notRewritten } from './not-rewritten.ts'
import { idiomsIn, type Paragraph, paragraphsOf, sentencesOf, textOf, wordsIn } from './prose.ts'

const lineCharsMax = 200
const paragraphWordsMax = 120
const list = 'scripts/documents/not-rewritten.ts'

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

/** The list of pages that are not rewritten only shrinks: a listed page without problems must leave it. */
export const checkProse: Check = project => checkProseExcept(project, notRewritten)

export const checkProseExcept = (project: Parameters<Check>[0], listed: readonly string[]): string[] => {
  const documents = documentsOf(project)
  return [
    ...documents.filter(path => !listed.includes(path)).flatMap(path => proseProblems(path, project.read(path))),
    ...listed.flatMap(path => {
      if (!documents.includes(path)) return [`${list}: ${path} does not exist. Remove it from the list.`]
      return proseProblems(path, project.read(path)).length > 0
        ? []
        : [`${list}: ${path} has no problems. Remove it from the list.`]
    }),
  ]
}
