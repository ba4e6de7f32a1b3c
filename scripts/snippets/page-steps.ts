// A page of the documents as a script: the reader's commands, the answers, and Alice's actions in between.
import { type Block, parseMarkdown } from '../documents/markdown.ts'

export type Step =
  | { kind: 'shell'; line: number; text: string }
  /** JSON after a command: the command's answer. After an action of Alice: the output of a server. */
  | { kind: 'answer'; line: number; text: string }
  /** A block whose first line is a comment with the name of a file. */
  | { kind: 'file'; line: number; name: string; text: string }
  /** `<!-- Alice: {"do": "press", …} -->`, with the commands of `postern person`. Readers do not see it. */
  | { kind: 'alice'; line: number; text: string }

const deed = /^<!-- Alice: (\{.*\}) -->$/
export const fileName = /^(?:\/\/|#) ((?:\/etc\/[\w@./-]+\/|deploy\/\w+\/)?[\w-]*\.\w+)$/

export function stepsOf(page: string): Step[] {
  const { prose, blocks } = parseMarkdown(page)
  const deeds = prose.flatMap(({ number, text }): Step[] => {
    const command = deed.exec(text)?.[1]
    return command === undefined ? [] : [{ kind: 'alice', line: number, text: command }]
  })
  const inOrder = [...deeds, ...blocks.flatMap(stepOf)].sort((one, other) => one.line - other.line)
  const headings = prose.filter(({ text }) => /^#+ /.test(text)).map(({ number }) => number)
  const isAnswered = (line: number, before: Step | undefined): boolean =>
    (before?.kind === 'shell' || before?.kind === 'alice') && !headings.some(at => before.line < at && at < line)
  // JSON that is not an answer shows a request body: whether it is JSON is checked elsewhere.
  return inOrder.filter(({ kind, line }, at) => kind !== 'answer' || isAnswered(line, inOrder[at - 1]))
}

function stepOf({ language, firstLine: line, text }: Block): Step[] {
  if (language === 'sh') return [{ kind: 'shell', line, text }]
  if (language === 'json') return [{ kind: 'answer', line, text }]
  // A part of a file that is there already.
  if (language === 'text') return []
  const name = fileName.exec(text.split('\n', 1)[0] ?? '')?.[1]
  return name === undefined ? [] : [{ kind: 'file', line, name, text }]
}
