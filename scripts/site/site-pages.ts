// The documents that are pages of the site, their addresses, and the targets of their links there.
import { posix } from 'node:path'

/** The rest of the repository is code, and documents for readers of code. */
export const isPage = (path: string): boolean =>
  /^(docs\/.*|CHANGELOG|CONTRIBUTING|examples\/(README|SPEC)|packages\/[^/]+\/(SPEC|PATCH))\.md$/.test(path)

/** `docs/guide/send.md` is `guide/send.md`, and a README is the page of its folder. */
export const addressOf = (path: string): string =>
  path.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md')

/** A page in the form of the site. */
export const pageText = (text: string, path: string): string =>
  // Rules mention everything: a search should lead to the page that explains a word.
  `${path.endsWith('SPEC.md') ? '---\nsearch: false\n---\n' : ''}${text}`
    .replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (_, words: string, target: string) => linkText(words, { target, path }))
    // Only the tests read these.
    .replaceAll(/^<!-- Alice: .* -->\n\n?/gm, '')

/** The build rejects a link that leads to no page. */
function linkText(words: string, { target, path }: { target: string; path: string }): string {
  const [file = '', anchor] = target.split('#')
  if (file === '' || /^[a-z]+:/i.test(target)) return `[${words}](${target})`
  const leadsTo = posix.normalize(posix.join(posix.dirname(path), file))
  // A file that is only in the repository has no address here: a reader gets its path.
  if (!isPage(leadsTo)) return `${words} (\`${leadsTo}\`)`
  const way = posix.relative(posix.dirname(addressOf(path)), addressOf(leadsTo))
  return `[${words}](${way.startsWith('.') ? way : `./${way}`}${anchor === undefined ? '' : `#${anchor}`})`
}
