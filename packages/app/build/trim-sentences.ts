// Leaves the sentences out of the worker that only programs of an operator say: no screen can bring one about.
import type { Plugin } from 'vite'

const SENTENCES = /protocol\/src\/errors\.ts$/
/** As their comments in the table name them. */
const SECTIONS = ['The HTTP API', 'The control socket', 'Backups', 'The installation']

export function trimSentences(): Plugin {
  return {
    name: 'postern-trim-sentences',
    enforce: 'pre',
    transform(code, id) {
      if (!SENTENCES.test(id)) return undefined
      return { code: SECTIONS.reduce(withoutSentences, code), map: null }
    },
  }
}

/** Fails the build where there is no such section, or a sentence of it cannot be told from the code around it. */
function withoutSentences(code: string, section: string): string {
  const found = new RegExp(`^ {2}// ${section}\\.\\n((?: {2,4}['"\`\\w].*\\n)+)`, 'm').exec(code)
  if (!found) throw new Error(`there are no sentences of "${section}" to leave out`)
  const [whole, entries = ''] = found
  const bare = entries.replaceAll(/^( {2}'[\w-]+': )(?:d|\(\)) =>\s+(['"`]).*\2,$/gm, "$1() => '',")
  if (/=>(?! '',)/.test(bare)) throw new Error(`a sentence of "${section}" cannot be left out`)
  return code.replace(whole, bare)
}
