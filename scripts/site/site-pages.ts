// Which documents are pages of the site, under which addresses, and where their links lead there.
import { posix } from 'node:path'

/** Of the repository: the rest of it is code, and what a reader of code looks at. */
export const isPage = (path: string): boolean =>
  /^(docs\/.*|CHANGELOG|CONTRIBUTING|examples\/(README|SPEC)|packages\/[^/]+\/(SPEC|PATCH))\.md$/.test(path)

/** `docs/guide/send.md` is `guide/send.md`, and a README the page of its folder. */
export const addressOf = (path: string): string =>
  path.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md')

/** A page as it lies in the site. */
export const pageText = (text: string, path: string): string =>
  // Rules speak of everything: who searches for a word wants the page that explains it.
  `${path.endsWith('SPEC.md') ? '---\nsearch: false\n---\n' : ''}${text}`
    .replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (_, words: string, target: string) => linkText(words, { target, path }))
    // Only the tests read these.
    .replaceAll(/^<!-- Alice: .* -->\n\n?/gm, '')

/** The build refuses a link that leads to no page. */
function linkText(words: string, { target, path }: { target: string; path: string }): string {
  const [file = '', anchor] = target.split('#')
  if (file === '' || /^[a-z]+:/i.test(target)) return `[${words}](${target})`
  const leadsTo = posix.normalize(posix.join(posix.dirname(path), file))
  // What lies in the repository alone has no address here: a reader gets its path.
  if (!isPage(leadsTo)) return `${words} (\`${leadsTo}\`)`
  const way = posix.relative(posix.dirname(addressOf(path)), addressOf(leadsTo))
  return `[${words}](${way.startsWith('.') ? way : `./${way}`}${anchor === undefined ? '' : `#${anchor}`})`
}
