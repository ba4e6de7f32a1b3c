// Formatting as a person types it: Markdown, except in a command, which a program reads as it was typed.
import type { FormattedText } from '@postern/protocol/markdown'
import type { EntityView } from '../../contract/objects.ts'
import { lazyImport } from '../../parts/lazy-import.ts'

/** The words of a message, or of one that is being written. */
export type SaidWords = { text?: string | undefined; entities?: EntityView[] | undefined }

const fetchMarkdown = lazyImport(() => import('@postern/protocol/markdown'))
let markdown: Awaited<ReturnType<typeof fetchMarkdown>> | undefined

/** Fetched beside the conversation, which is shown sooner. Where it cannot be fetched, marks stay signs. */
export async function loadFormatting(): Promise<void> {
  markdown = await fetchMarkdown().catch(() => undefined)
}

const isCommand = (text: string): boolean => /^\/[a-z0-9_]/.test(text)

/** Every mark has one of these signs. */
const MARKS = /[\\`*_~|>[\]]/

/** Words without a mark are sent in the moment of the key, however slow the line is. */
export const awaitsFormatting = (typed: string): boolean => !markdown && MARKS.test(typed) && !isCommand(typed)

export function readTyped(typed: string): FormattedText {
  if (!markdown || isCommand(typed)) return { text: typed, entities: [] }
  const { text, entities } = markdown.parseMarkdown(typed)
  return { text, entities }
}

/** The Markdown of a message for the field: reading it again gives the same message. */
export const typedOf = ({ text = '', entities = [] }: SaidWords): string =>
  !markdown || isCommand(text) ? text : markdown.writeMarkdown({ text, entities })
