// The app, built a second time from the same sources in other surroundings: every byte is the same.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { builtApp } from '@postern/app/build'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
const BESIDE = ['package.json', 'package-lock.json', 'tsconfig.json', 'patches']
const LEFT_OUT = new Set(['node_modules', 'dist', 'test', 'dist.lock'])

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted()

/** Written in another order, so that folders list their files in another one, and with other times. */
function reversedCheckout(name: string): string {
  const base = mkdtempSync(join(tmpdir(), 'postern-build-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const root = join(base, name)
  const sources = ['packages', ...BESIDE].flatMap(each => sourcesIn(each))
  for (const path of sources.toReversed()) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    cpSync(join(ROOT, path), join(root, path))
    utimesSync(join(root, path), 315_532_800, 315_532_800)
  }
  linkLibraries(join(root, 'node_modules'))
  return root
}

function sourcesIn(path: string): string[] {
  const copied = join(ROOT, path)
  const entries = readdirSync(dirname(copied), { withFileTypes: true })
  if (!entries.find(entry => entry.name === basename(path))?.isDirectory()) return [path]
  const names = readdirSync(copied).filter(name => !LEFT_OUT.has(name) && !name.startsWith('dist-'))
  return names.toSorted().flatMap(name => sourcesIn(join(path, name)))
}

/** Those of others; our packages are those of the copy. */
function linkLibraries(folder: string): void {
  mkdirSync(join(folder, '@postern'), { recursive: true })
  const names = readdirSync(join(ROOT, 'node_modules')).filter(name => name !== '@postern' && !name.startsWith('.'))
  for (const name of names) symlinkSync(join(ROOT, 'node_modules', name), join(folder, name))
  for (const name of readdirSync(join(folder, '../packages')))
    symlinkSync(join(folder, '../packages', name), join(folder, '@postern', name))
}

async function build(root: string, env: Record<string, string>): Promise<string> {
  const app = join(root, 'packages/app')
  const args = [join(app, 'build/run-build.ts'), app, join(app, 'dist')]
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
  })
  const said = text(child.stderr)
  const [code] = (await once(child, 'close')) as [number]
  expect([code, await said]).toEqual([0, ''])
  return join(app, 'dist')
}

/** A build takes seconds of a core, and minutes on a busy machine: this test is not about its speed. */
const PATIENCE_MS = 900_000

test('[CLI-8.5] two builds have the same bytes, wherever, whenever and in whichever language they were made', {
  timeout: PATIENCE_MS,
}, async () => {
  const here = await builtApp()
  const env = { TZ: 'Asia/Kathmandu', LC_ALL: 'ru_RU.UTF-8', LANG: 'ru_RU.UTF-8', HOME: '/nonexistent' }
  const there = await build(reversedCheckout('another folder/über here'), env)
  const names = filesIn(there)
  expect(names.length).toBeGreaterThan(50)
  // Written beside a build that is kept: of which sources it is.
  expect(filesIn(here).filter(name => name !== '.built-from')).toEqual(names)
  const different = names.filter(name => !readFileSync(join(here, name)).equals(readFileSync(join(there, name))))
  expect(different).toEqual([])
})
