// Bundles a test's worker and its imports to files that a browser loads.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { ServedFile } from './page-server.ts'

const PAGE = '<!doctype html><html lang="en"><title>A test</title></html>'
const RUNNER = fileURLToPath(new URL('./worker-vitest.ts', import.meta.url))

/**
 * `entry`: the worker's file, as `import.meta.resolve` returns it. The page is at `/test/`. Our small runner replaces
 * the worker's imports of vitest.
 */
export async function bundleWorker(entry: string): Promise<Map<string, ServedFile>> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    conditions: ['browser'],
    alias: { vitest: RUNNER },
    logLevel: 'error',
  })
  const wasm = createRequire(entry).resolve('@evolu/sqlite-wasm/sqlite3.wasm')
  return new Map<string, ServedFile>([
    ['/test/', { type: 'text/html', body: PAGE }],
    ['/test/worker.js', { type: 'text/javascript', body: outputFiles[0]?.contents ?? '' }],
    // The place where sqlite-wasm looks for it: next to the script.
    ['/test/sqlite3.wasm', { type: 'application/wasm', body: await readFile(wasm) }],
  ])
}
