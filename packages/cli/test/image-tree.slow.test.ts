// The files of the image, made by the commands of its Dockerfile in a directory of this machine.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test as base, expect } from 'vitest'
import { bundle } from '../build/bundle.ts'

const ROOT = join(import.meta.dirname, '../../..')
const TRIM = 'packages/cli/bin/trim-packages.mjs'
/** Without the web app, 5 MB more, and without Node. README.md says so. */
const IMAGE_MB_MAX = 34

/** The commands that fill /app, from the packages to the code cache. */
function fillingCommands(): string {
  const [, filled = ''] =
    /AS filled\n(.*?)\n# The code cache/s.exec(readFileSync(join(ROOT, 'deploy/image/Dockerfile'), 'utf8')) ?? []
  const [, command = ''] = /^RUN ((?:.*\\\n)*.*)$/m.exec(filled) ?? []
  expect(filled).toContain(`COPY ${TRIM} /trim/`)
  expect(command).toContain('/trim/trim-packages.mjs')
  return command.replaceAll('\\\n', '').replace('/trim/trim-packages.mjs', join(ROOT, TRIM))
}

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('directory', { scope: 'file' }, ({}, { onCleanup }) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-image-'))
    onCleanup(() => rmSync(directory, { recursive: true, maxRetries: 10 }))
    return directory
  })
  .extend('tree', { scope: 'file' }, async ({ directory }) => {
    const [app, tree] = [join(directory, 'built-app'), join(directory, 'app')]
    mkdirSync(app)
    writeFileSync(join(app, 'index.html'), 'the page of the app')
    await bundle(tree, { app })
    execFileSync('sh', ['-ec', fillingCommands()], { cwd: tree, stdio: 'pipe' })
    return tree
  })

const filesIn = (tree: string): string[] =>
  globSync('**/*', { cwd: tree }).filter(path => statSync(join(tree, path)).isFile())

/** The processor in the head of an ELF file; undefined for other files. */
function processorOf(path: string): number | undefined {
  const head = readFileSync(path).subarray(0, 20)
  return head.subarray(0, 4).toString('latin1') === '\u007fELF' ? head.readUInt16LE(18) : undefined
}

test('[CLI-1.25] the image has machine code for its platform alone, and no sources of it', ({ tree }) => {
  const files = filesIn(tree)
  const binaries = files.filter(path => /\.(node|so[.\d]*|dylib|dll|wasm|exe)$/.test(path))
  expect(
    binaries
      .map(path =>
        path
          .split('/')
          .slice(1, 3)
          .join('/')
          .replace(/\/(prebuilds|lib)$/, ''),
      )
      .toSorted(),
  ).toEqual(
    [
      `@img/sharp-${process.platform}-${process.arch}`,
      `@img/sharp-libvips-${process.platform}-${process.arch}`,
      'better-sqlite3',
      'better-sqlite3-multiple-ciphers',
      'sodium-native',
    ].toSorted(),
  )
  const own = processorOf(process.execPath)
  for (const path of binaries) expect([path, processorOf(join(tree, path))]).toEqual([path, own])
  const sources = /^node_modules\/(better-sqlite3|sodium-native|sharp)[^@]*\.(cc?|cpp|h|hpp|gypi?|tar\.gz)$/
  expect(files.filter(path => sources.test(path))).toEqual([])
  const megabytes = files.reduce((sum, path) => sum + statSync(join(tree, path)).size, 0) / 2 ** 20
  expect(megabytes).toBeLessThan(IMAGE_MB_MAX)
})

test('[CLI-1.25] and everything in it runs: relay, gateway and bot', async ({ directory, tree }) => {
  const words = ['demo', '--relay-port', '0', '--gateway-port', '0', '--data', join(directory, 'demo')]
  const demo = spawn(process.execPath, [join(tree, 'postern.js'), ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(demo, 'close')
  let said = ''
  for await (const line of createInterface({ input: demo.stdout })) {
    said += line
    if (line.includes('Ctrl-C')) break
  }
  demo.kill('SIGTERM')
  await ended
  expect(said).toContain('A bot is waiting for you.')
})

test('[CLI-1.25] a package without a binary for this machine stays whole', ({ directory }) => {
  const modules = join(directory, 'modules')
  const files = ['better-sqlite3/deps/sqlite3.c', 'better-sqlite3/prebuilds/plan9-mips.node', 'sharp/src/common.cc']
  for (const file of files) cpSync(join(ROOT, 'LICENSE'), join(modules, file))
  execFileSync(process.execPath, [join(ROOT, TRIM), modules])
  expect(files.filter(file => !existsSync(join(modules, file)))).toEqual([])
})
