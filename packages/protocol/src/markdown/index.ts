// Markdown as people and programs type it, and the text with entities that is sent.
export type { FormattedText } from './marks.ts'
export { parseMarkdown } from './parse-markdown.ts'
export { writeMarkdown } from './write-markdown.ts'
