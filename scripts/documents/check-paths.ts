// A link or a path in a document must lead to something that exists.
import { posix } from 'node:path'
import { type Check, documentsOf, isThere, type Project } from '../project.ts'
import { anchorsOf, codeSpansOf, commandsOf, linkTargetsOf, parseMarkdown } from './markdown.ts'

const topFolders = ['packages', 'bench', 'campaign', 'scripts', 'docs', 'deploy', 'examples', 'patches', 'spec', '.ci']
const repositoryPath = new RegExp(`^(${topFolders.map(folder => folder.replace('.', '\\.')).join('|')})/[^\\s:]*`)
const packagePath = /^(src|test|bin)\/[^\s:]+/

const matchesAny = (project: Project, path: string): boolean =>
  /[*{]/.test(path)
    ? project.paths.some(file => posix.matchesGlob(file, path) || posix.matchesGlob(posix.dirname(file), path))
    : isThere(project, path)

/** `packages/core/src/x.ts` from the root; in a document of a package also `src/x.ts`. */
const missingPath = (project: Project, document: string, words: string): string | undefined => {
  const fromRoot = repositoryPath.exec(words)?.[0]
  if (fromRoot !== undefined) return matchesAny(project, fromRoot) ? undefined : fromRoot
  const home = /^(packages\/[^/]+|bench|campaign)\//.exec(document)?.[1]
  const fromPackage = packagePath.exec(words)?.[0]
  if (home === undefined || fromPackage === undefined) return undefined
  return matchesAny(project, `${home}/${fromPackage}`) ? undefined : `${home}/${fromPackage}`
}

const brokenLink = (project: Project, document: string, target: string): string | undefined => {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return undefined
  const [path = '', anchor] = decodeURI(target).split('#')
  const file = path === '' ? document : posix.normalize(posix.join(posix.dirname(document), path))
  if (!isThere(project, file)) return `${target} leads to ${file}, which does not exist`
  if (!anchor || !file.endsWith('.md')) return undefined
  return anchorsOf(parseMarkdown(project.read(file))).has(anchor) ? undefined : `${file} has no heading #${anchor}`
}

const problemsOf = (project: Project, document: string): string[] => {
  const { prose, blocks } = parseMarkdown(project.read(document))
  const problems: string[] = []
  for (const { number, text } of prose) {
    for (const target of linkTargetsOf(text)) {
      const broken = brokenLink(project, document, target)
      if (broken !== undefined) problems.push(`${document}:${number}: ${broken}.`)
    }
    for (const span of codeSpansOf(text)) {
      const missing = missingPath(project, document, span)
      if (missing !== undefined) problems.push(`${document}:${number}: ${missing} does not exist.`)
    }
  }
  for (const block of blocks) {
    for (const word of commandsOf(block).split(/[\s'"=]+/)) {
      const missing = repositoryPath.test(word) ? missingPath(project, document, word) : undefined
      if (missing !== undefined) problems.push(`${document}:${block.firstLine}: ${missing} does not exist.`)
    }
  }
  return problems
}

export const checkPaths: Check = project => documentsOf(project).flatMap(document => problemsOf(project, document))
