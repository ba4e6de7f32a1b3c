// Lets the page request the code of the first screen together with its own: otherwise it would be known only when the
// page's script runs, a round trip later.
import type { HtmlTagDescriptor, Plugin, Rollup } from 'vite'

/** `screen`: the module that the page imports for it. */
export function firstScreen(screen: string): Plugin {
  return {
    name: 'postern-first-screen',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {}, chunk: page }) => {
        const chunks = Object.values(bundle).filter(file => file.type === 'chunk')
        const first = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(screen))
        if (!first || !page) throw new Error(`no chunk of the page begins with ${screen}`)
        const known = needed(chunks, page.fileName)
        return [...needed(chunks, first.fileName)].filter(name => !known.has(name)).map(preloading)
      },
    },
  }
}

/** A file and its static imports. */
function needed(chunks: readonly Rollup.OutputChunk[], fileName: string): Set<string> {
  const found = new Set([fileName])
  for (const name of found)
    for (const imported of chunks.find(chunk => chunk.fileName === name)?.imports ?? []) found.add(imported)
  return found
}

const preloading = (name: string): HtmlTagDescriptor => ({
  tag: 'link',
  attrs: { rel: 'modulepreload', crossorigin: true, href: `/${name}` },
  injectTo: 'head',
})
