// What a process loads stays in its memory for as long as it runs.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const launcher = join(import.meta.dirname, '../bin/postern.mjs')
const tellWhatWasLoaded =
  'data:text/javascript,process.on("exit",()=>process.stdout.write(process.moduleLoadList.join("\\n")))'

/** Each ends at once, with all of its code loaded, because it is not told enough to run. */
const loadedBy = (command: string): string =>
  spawnSync(process.execPath, ['--import', tellWhatWasLoaded, launcher, command, '--nonsense'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  }).stdout

test.each(['gateway', 'relay', 'person'])('[CLI-1.8] %s loads no stripper of types and no undici', command => {
  // The first one leaves its code in the cache, where the second finds it.
  loadedBy(command)
  const loaded = loadedBy(command)
  expect(loaded).toContain('NativeModule https')
  expect(loaded).not.toContain('deps/amaro')
  expect(loaded).not.toContain('deps/undici')
})
