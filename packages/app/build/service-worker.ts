// Bundles the service worker into one classic script: not every browser can start one from modules.
import { join } from 'node:path'
import { build } from 'vite'

type WorkerContent = { build: string; files: readonly string[] }

/** `postern app` enters its relay here: with another relay it is another service worker. */
const RELAY_LINE = '// data-relay=""\n'

/** It names its build: with unchanged bytes no browser would treat it as a new one. */
export async function serviceWorkerSource(root: string, { build: name, files }: WorkerContent): Promise<string> {
  const built = await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'silent',
    define: { __POSTERN_BUILD__: JSON.stringify(name), __POSTERN_FILES__: JSON.stringify(files) },
    build: {
      target: 'es2024',
      write: false,
      modulePreload: false,
      rollupOptions: {
        input: join(root, 'src/service-worker/main.ts'),
        output: { format: 'iife', entryFileNames: 'sw.js' },
      },
    },
  })
  const output = (Array.isArray(built) ? built : [built]).flatMap(each => ('output' in each ? each.output : []))
  const script = output.find(file => file.type === 'chunk')
  if (output.length !== 1 || script?.type !== 'chunk') throw new Error('the service worker is not one script')
  return RELAY_LINE + script.code
}
