// The package for bot authors: packed with the SDK, installed into an empty directory, and used as its README shows.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writePackage } from '../build/write-package.ts'

const PACKAGE = join(import.meta.dirname, '..')
const SDK = join(PACKAGE, '../sdk')
const MODULES = join(PACKAGE, '../../node_modules')

/** Not in its own folder, where another test packs it. */
function buildSdk(directory: string): void {
  mkdirSync(directory)
  const project = join(SDK, 'tsconfig.build.json')
  execFileSync(join(MODULES, '.bin/tsc'), ['-p', project, '--outDir', join(directory, 'dist')], { stdio: 'inherit' })
  for (const file of ['package.json', 'README.md']) cpSync(join(SDK, file), join(directory, file))
}

test('[TESTKIT-2.1] packed and installed, it runs the tests of its README and has types', {
  timeout: 600_000,
}, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-testkit-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const [sdk, kit, home] = ['sdk', 'kit', 'home'].map(name => join(directory, name)) as [string, string, string]
  buildSdk(sdk)
  await writePackage(kit)
  mkdirSync(home)
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(lifecycle|package|command)|NODE_|VITEST)/.test(name),
  )
  const env = { ...Object.fromEntries(kept), PATH: `${join(MODULES, '.bin')}:${process.env['PATH']}` }
  const npm = (...words: string[]) =>
    execFileSync('npm', [...words, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: home,
      env,
      encoding: 'utf8',
    })
  for (const folder of [sdk, kit]) npm('pack', '--ignore-scripts', '--pack-destination', directory, folder)
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'my-bot', type: 'module', private: true }))
  const tarballs = readdirSync(directory).filter(name => name.endsWith('.tgz'))
  npm('install', ...tarballs.map(name => join(directory, name)))

  const installed = join(home, 'node_modules/@postern/testkit')
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { dependencies: object }
  expect(Object.keys(dependencies)).toEqual(['better-sqlite3', 'better-sqlite3-multiple-ciphers', 'sharp'])
  expect(readdirSync(join(home, 'node_modules/@postern')).toSorted()).toEqual(['sdk', 'testkit'])
  expect(existsSync(join(home, 'node_modules/ts-mls'))).toBe(false)

  const readme = readFileSync(join(installed, 'README.md'), 'utf8')
  const files = [...readme.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```$/gms)]
  expect(files.map(([, name]) => name)).toEqual(['bot.ts', 'bot.test.ts'])
  for (const [, name = '', code = ''] of files) writeFileSync(join(home, name), code)
  const options = ['--module', 'nodenext', '--target', 'esnext', '--strict', '--noEmit', '--allowImportingTsExtensions']
  execFileSync(
    join(MODULES, '.bin/tsc'),
    [...options, '--types', 'node', '--typeRoots', join(MODULES, '@types'), 'bot.test.ts'],
    { cwd: home, env, stdio: 'inherit' },
  )
  const report = execFileSync(process.execPath, ['--test', '--test-reporter=tap'], { cwd: home, env, encoding: 'utf8' })
  expect(report).toMatch(/^# pass 3$/m)
  expect(report).toMatch(/^# fail 0$/m)
})
