// The build of the app: one page, one worker, and a list of its files for the service worker.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import { bundledModules } from './build/bundled-modules.ts'
import { fingerprintOf } from './build/fingerprint.ts'
import { firstScreen } from './build/first-screen.ts'
import { serviceWorkerSource } from './build/service-worker.ts'
import { trimSentences } from './build/trim-sentences.ts'
import { trimSql } from './build/trim-sql.ts'
import { trimSqlite } from './build/trim-sqlite.ts'

/** `files.json` and the same list in the service worker: the files for a start without a network. */
function listFiles(build: string): Plugin {
  const folder = join(import.meta.dirname, 'public')
  return {
    name: 'postern-list-files',
    // Vite adds the style sheet in a later plugin of its own.
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const built = Object.keys(bundle).filter(name => name !== 'index.html' && !name.endsWith('.map'))
      const files = ['/', ...[...built, ...readdirSync(folder)].map(name => `/${name}`).toSorted()]
      const worker = await serviceWorkerSource(import.meta.dirname, { build, files })
      this.emitFile({ type: 'asset', fileName: 'files.json', source: JSON.stringify({ build, files }) })
      this.emitFile({ type: 'asset', fileName: 'sw.js', source: worker })
    },
  }
}

/** SQLite rarely changes: in a separate file it is not fetched again with each version of the app. */
const ownChunk = (id: string): string | undefined => (id.includes('@evolu/sqlite-wasm') ? 'sqlite' : undefined)

const NAME_LETTERS = 16
/** By all sources of the app, as the builder computes it: two builds of one name would share a browser's cache. */
const build = fingerprintOf(import.meta.dirname)?.slice(0, NAME_LETTERS) ?? ''
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
    // One sheet is a quarter smaller than a dozen, compressed, and no screen waits for its own.
    cssCodeSplit: false,
  },
  define: { __POSTERN_BUILD__: JSON.stringify(build) },
  // One copy of the hashes, for us and for the curves.
  resolve: { dedupe: ['@noble/hashes'] },
  worker: {
    format: 'es',
    plugins: () => [trimSentences(), trimSql(), trimSqlite(), modules.worker()],
    rollupOptions: { output: { manualChunks: ownChunk } },
  },
  optimizeDeps: { exclude: ['@evolu/sqlite-wasm'] },
  plugins: [modules.page, firstScreen('src/onboarding/onboarding.tsx'), listFiles(build)],
})
