// Parses Markdown as far as our checks need it: prose, fenced blocks, links, code spans, headings.

export interface Line {
  readonly number: number
  readonly text: string
}

export interface Block {
  readonly language: string
  readonly firstLine: number
  readonly text: string
}

export interface Markdown {
  readonly prose: readonly Line[]
  readonly blocks: readonly Block[]
}

export const parseMarkdown = (text: string): Markdown => {
  const prose: Line[] = []
  const blocks: Block[] = []
  let open: { fence: string; language: string; firstLine: number; lines: string[] } | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^\s*(`{3,}|~{3,})\s*(\S*)/.exec(line)
    if (open === undefined && fence?.[1] !== undefined) {
      open = { fence: fence[1], language: fence[2] ?? '', firstLine: index + 2, lines: [] }
    } else if (open === undefined) {
      prose.push({ number: index + 1, text: line })
    } else if (line.trim() === open.fence) {
      blocks.push({ language: open.language, firstLine: open.firstLine, text: open.lines.join('\n') })
      open = undefined
    } else {
      open.lines.push(line)
    }
  }
  return { prose, blocks }
}

/** The commands of a shell block, without its comments; nothing for a block in another language. */
export const commandsOf = ({ language, text }: Block): string =>
  /^(sh|bash|console)$/.test(language) ? text.replaceAll(/(^|\s)#.*$/gm, '') : ''

export const codeSpansOf = (line: string): string[] =>
  [...line.matchAll(/(`+)(.+?)\1(?!`)/g)].map(([, , span]) => (span ?? '').trim())

const withoutCodeSpans = (line: string): string => line.replaceAll(/(`+).+?\1(?!`)/g, '')

/** Targets of `[text](target)` and of `[label]: target`. */
export const linkTargetsOf = (line: string): string[] => {
  const inline = [...withoutCodeSpans(line).matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)]
  const defined = [...withoutCodeSpans(line).matchAll(/^\s{0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)/g)]
  return [...inline, ...defined].map(match => match[1] ?? '')
}

/** The anchors of a rendered document, as GitHub makes them from headings. */
export const anchorsOf = ({ prose }: Markdown): Set<string> => {
  const anchors = new Set<string>()
  for (const { text } of prose) {
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(text)?.[1]
    if (heading === undefined) continue
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    const repeats = [...anchors].filter(anchor => anchor.replace(/-\d+$/, '') === slug).length
    anchors.add(repeats === 0 ? slug : `${slug}-${repeats}`)
  }
  return anchors
}
