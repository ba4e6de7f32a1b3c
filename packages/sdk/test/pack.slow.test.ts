// The package as it is published: packed, installed into an empty directory without a network, and run.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { test } from './fixtures.ts'

const PACKAGE = join(import.meta.dirname, '..')
const MODULES = join(PACKAGE, '../../node_modules')

const sizeOf = (directory: string): number =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

/** This Node, and the system's if it is another one that the package supports. */
function nodes(): string[] {
  const other = '/usr/bin/node'
  if (!existsSync(other)) return [process.execPath]
  const major = Number(/^v(\d+)/.exec(execFileSync(other, ['--version'], { encoding: 'utf8' }))?.[1])
  return major >= 20 ? [process.execPath, other] : [process.execPath]
}

test('[SDK-5.1] the tarball has no dependencies, is small, has types, and runs an echo bot', {
  timeout: 300_000,
}, async ({ world, alice, chat, address }) => {
  const home = join(world.directory, 'home')
  mkdirSync(home)
  const npm = (words: string[], cwd: string) =>
    execFileSync('npm', [...words, '--offline', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd,
      encoding: 'utf8',
    })
  npm(['pack', '--pack-destination', home], PACKAGE)
  const [tarball = ''] = readdirSync(home)
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'my-bot', type: 'module', private: true }))
  npm(['install', join(home, tarball)], home)
  const installed = join(home, 'node_modules/@postern/sdk')
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>
  expect([manifest['dependencies'], manifest['private'], readdirSync(join(home, 'node_modules/@postern'))]).toEqual([
    undefined,
    undefined,
    ['sdk'],
  ])
  expect(sizeOf(installed)).toBeLessThan(180_000)
  expect(readdirSync(installed)).toContain('README.md')

  const bot = [
    "import { Bot } from '@postern/sdk'",
    "import { fileStore, fromPath, toNodeHandler } from '@postern/sdk/node'",
    'const bot = new Bot()',
    "bot.on('message:text', ctx => ctx.reply(`${process.version} ${ctx.text}`))",
    "bot.command('file', ctx => ctx.replyFile(fromPath('package.json'), { name: 'package.json' }))",
    "if ([fileStore, toNodeHandler].some(one => typeof one !== 'function')) throw new Error('incomplete')",
    'await bot.start({ signals: true })',
  ]
  const source = bot.join('\n')
  writeFileSync(join(home, 'bot.js'), source)
  writeFileSync(join(home, 'bot.ts'), source)
  const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--noEmit', '--types', 'node']
  execFileSync(join(MODULES, '.bin/tsc'), [...options, '--typeRoots', join(MODULES, '@types'), 'bot.ts'], {
    cwd: home,
    stdio: 'inherit',
  })
  for (const node of nodes()) {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
    const running = spawn(node, ['bot.js'], {
      cwd: home,
      env: { PATH: process.env['PATH'] ?? '', POSTERN_URL: address.url, POSTERN_TOKEN: address.token },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const exited = once(running, 'exit')
    onTestFinished(() => void running.kill('SIGKILL'))
    await alice.say(chat, 'hello')
    await alice.hears(`${version} hello`)
    running.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  }
})
