// Leaves sentences out of the worker that only programs of an operator print: no screen can cause one.
import type { Plugin } from 'vite'

const SENTENCES = /protocol\/src\/errors\.ts$/
/** By their comments in the table. */
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

/** Fails the build if such a section does not exist, or its sentences cannot be distinguished from the code around them. */
function withoutSentences(code: string, section: string): string {
  const found = new RegExp(`^ {2}// ${section}\\.\\n((?: {2,4}['"\`\\w].*\\n)+)`, 'm').exec(code)
  if (!found) throw new Error(`there are no sentences of "${section}" to leave out`)
  const [whole, entries = ''] = found
  const bare = entries.replaceAll(/^( {2}'[\w-]+': )(?:d|\(\)) =>\s+(['"`]).*\2,$/gm, "$1() => '',")
  if (/=>(?! '',)/.test(bare)) throw new Error(`a sentence of "${section}" cannot be left out`)
  return code.replace(whole, bare)
}
