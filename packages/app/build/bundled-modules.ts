// The modules of the built app, page and worker together: for the licences that go with it, and for questions about its size.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { licencesOf } from './licences.ts'

/** Hidden, and so not served. */
const MODULES = '.modules.json'
/** Builds of the same sources are the same in every folder: the names of modules begin here. */
const ROOT = join(import.meta.dirname, '../../..')

/** By their file: each module, and its length before minification. */
type Modules = Record<string, Record<string, number>>

/** One plugin for the worker, and one for the page, which comes last. */
export function bundledModules(): { worker: () => Plugin; page: Plugin } {
  const modules: Modules = {}
  const noting: Plugin['generateBundle'] = (_options, bundle) => {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk') continue
      const sizes = Object.entries(file.modules).map(([id, { renderedLength }]) => [id, renderedLength] as const)
      modules[file.fileName] = Object.fromEntries(sizes)
    }
  }
  const worker = (): Plugin => ({ name: 'postern-note-modules', generateBundle: noting })
  const page: Plugin = {
    name: 'postern-bundled-modules',
    async generateBundle(...bundled) {
      await noting.apply(this, bundled)
      const ids = Object.values(modules).flatMap(each => Object.keys(each))
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source: licencesOf(ids) })
    },
    writeBundle({ dir = '' }) {
      const named = Object.entries(modules)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([file, sizes]) => [file, namedFromRoot(sizes)])
      writeFileSync(join(dir, MODULES), JSON.stringify(Object.fromEntries(named)))
    },
  }
  return { worker, page }
}

const namedFromRoot = (sizes: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(sizes).map(([id, length]) => [nameOf(id), length]))

/** Libraries may be elsewhere, behind a link. */
const nameOf = (id: string): string => id.replaceAll(`${ROOT}/`, '').replace(/(^|\0)\/.*?(?=node_modules\/)/, '$1')
