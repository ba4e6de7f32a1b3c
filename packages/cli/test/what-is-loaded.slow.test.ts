// Code that a process loads stays in its memory for as long as it runs.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const launcher = join(import.meta.dirname, '../bin/postern.mjs')
const tellWhatWasLoaded =
  'data:text/javascript,process.on("exit",()=>process.stdout.write(process.moduleLoadList.join("\\n")))'

/** Each ends immediately, with all of its code loaded, because its command line is incomplete. */
const loadedBy = (command: string): string =>
  spawnSync(process.execPath, ['--import', tellWhatWasLoaded, launcher, command, '--nonsense'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  }).stdout

test.each(['gateway', 'relay', 'person'])('[CLI-1.8] %s loads no stripper of types and no undici', command => {
  // The first run leaves its code in the cache for the second.
  loadedBy(command)
  const loaded = loadedBy(command)
  expect(loaded).toContain('NativeModule https')
  expect(loaded).not.toContain('deps/amaro')
  expect(loaded).not.toContain('deps/undici')
})

const tellWhichFiles = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  registerHooks({ load: (url, context, next) => (writeSync(1, url + '\\n'), next(url, context)) })
`)}`

test('[CLI-1.13] gateway loads no words of other languages, and nothing of hooks that are not served', () => {
  const env = { PATH: process.env['PATH'] }
  const { stdout } = spawnSync(process.execPath, ['--import', tellWhichFiles, launcher, 'gateway', '--nonsense'], {
    encoding: 'utf8',
    env,
  })
  const files = stdout.split('\n')
  expect(files.filter(file => file.includes('/zod/v4/locales/')).map(file => file.split('/').at(-1))).toEqual(['en.js'])
  expect(files).toContainEqual(expect.stringContaining('/gateway/src/hooks/start-hooks.ts'))
  expect(files).not.toContainEqual(expect.stringContaining('/gateway/src/hooks/receive.ts'))
})
