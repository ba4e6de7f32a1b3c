// How the app is built: one page, one worker, and a list of its files for the service worker.
import { createHash } from 'node:crypto'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import { bundledModules } from './build/bundled-modules.ts'
import { trimSqlite } from './build/trim-sqlite.ts'

/** Names the code that page and worker were built from. By sources, not by time: the same sources give the same files. */
function buildName(): string {
  const root = join(import.meta.dirname, '../..')
  const sources = [
    'packages/app/{index.html,vite.config.ts,build/**/*,public/**/*}',
    'packages/{app,bot-api,core,mls,protocol}/src/**/*.{ts,tsx,css}',
    'package-lock.json',
  ]
  const hash = createHash('sha256')
  for (const entry of globSync(sources, { cwd: root, withFileTypes: true }).filter(entry => entry.isFile())) {
    const path = join(entry.parentPath, entry.name)
    hash.update(`${relative(root, path)}\0`).update(readFileSync(path))
  }
  return hash.digest('hex').slice(0, 16)
}

/**
 * `files.json` and the same list in the service worker: what a browser keeps for a start without a network. The worker
 * names its build: with the same bytes as before no browser would take it for a new one.
 */
function listFiles(build: string): Plugin {
  const folder = join(import.meta.dirname, 'public')
  return {
    name: 'postern-list-files',
    generateBundle(_options, bundle) {
      const built = Object.keys(bundle).filter(name => name !== 'index.html' && !name.endsWith('.map'))
      const lying = readdirSync(folder).filter(name => name !== 'sw.js')
      const files = ['/', ...[...built, ...lying].map(name => `/${name}`).toSorted()]
      const worker = readFileSync(join(folder, 'sw.js'), 'utf8')
        .replace("'BUILD'", JSON.stringify(build))
        .replace("['FILES']", JSON.stringify(files))
      this.emitFile({ type: 'asset', fileName: 'files.json', source: JSON.stringify({ build, files }) })
      this.emitFile({ type: 'asset', fileName: 'sw.js', source: worker })
    },
  }
}

/** SQLite changes seldom: in a file of its own it is not fetched again with each version of the app. */
const ownChunk = (id: string): string | undefined => (id.includes('@evolu/sqlite-wasm') ? 'sqlite' : undefined)

const build = buildName()
const modules = bundledModules()

// biome-ignore lint: Vite reads the default export.
export default defineConfig({
  root: import.meta.dirname,
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2024',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    // One sheet is a quarter smaller than a dozen, packed, and no screen waits for its own.
    cssCodeSplit: false,
  },
  define: { __POSTERN_BUILD__: JSON.stringify(build) },
  // One copy of the hashes, for us and for the curves.
  resolve: { dedupe: ['@noble/hashes'] },
  worker: {
    format: 'es',
    plugins: () => [trimSqlite(), modules.worker()],
    rollupOptions: { output: { manualChunks: ownChunk } },
  },
  optimizeDeps: { exclude: ['@evolu/sqlite-wasm'] },
  plugins: [modules.page, listFiles(build)],
})
