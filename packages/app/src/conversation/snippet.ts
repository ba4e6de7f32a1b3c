// A message in one line: for a quote, a strip above the field, a search result, an announcement.
import type { FileInfo, Message } from '../contract/objects.ts'
import { conversationWords } from './words.ts'

/** A line shows far less; an uncut text would be laid out all the same. */
const SNIPPET_UNITS_MAX = 240

export function snippetOf(message: Message): string {
  const w = conversationWords.value
  if (message.poll) return cut(w.poll(message.poll.question))
  const file = message.file ? fileTitle(message.file) : undefined
  return cut([file, message.text].filter(Boolean).join(' · '))
}

function fileTitle(file: Pick<FileInfo, 'kind' | 'name'>): string {
  const w = conversationWords.value
  return file.kind === 'file' ? file.name : w[file.kind]
}

function cut(text: string): string {
  const line = text.slice(0, 2 * SNIPPET_UNITS_MAX).replaceAll(/\s+/g, ' ')
  return line.length > SNIPPET_UNITS_MAX ? `${line.slice(0, SNIPPET_UNITS_MAX).toWellFormed()}…` : line
}
