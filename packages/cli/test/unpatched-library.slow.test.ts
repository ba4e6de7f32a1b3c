// An installation whose install script did not run: `npm ci --ignore-scripts`.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from './process.ts'

const root = join(import.meta.dirname, '../../..')
const modules = join(root, 'node_modules')
let directory: string
let options: string

/** The library as it comes from the registry, and a Node that loads it instead of ours. */
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'postern-unpatched-'))
  const bare = join(directory, 'node_modules')
  mkdirSync(bare)
  writeFileSync(join(directory, 'package.json'), '{"name": "unpatched", "dependencies": {"ts-mls": "1.6.4"}}')
  writeFileSync(join(directory, 'package-lock.json'), '{}')
  cpSync(join(modules, 'ts-mls'), join(bare, 'ts-mls'), { recursive: true })
  const patch = 'patches/ts-mls+1.6.4.patch'
  cpSync(join(root, patch), join(directory, patch))
  for (const name of ['@hpke', '@noble']) symlinkSync(join(modules, name), join(bare, name))
  const patchPackage = join(modules, 'patch-package/index.js')
  execFileSync(process.execPath, [patchPackage, '--reverse', '--error-on-fail'], { cwd: directory, stdio: 'pipe' })
  const hook = join(directory, 'hook.mjs')
  const [from, to] = [modules, bare].map(path => JSON.stringify(`${pathToFileURL(join(path, 'ts-mls')).href}/`))
  writeFileSync(
    hook,
    `import { registerHooks } from 'node:module'
     registerHooks({
       resolve(name, context, next) {
         const resolved = next(name, context)
         return { ...resolved, url: resolved.url.replace(${from}, ${to}) }
       },
     })`,
  )
  options = `--import ${pathToFileURL(hook).href}`
})
afterAll(() => rmSync(directory, { recursive: true }))

test.each(['gateway', 'person', 'demo'])(
  '[CLI-1.4] postern %s says in one line what to run, and exits 1',
  async command => {
    const data = join(directory, command)
    const env = {
      NODE_OPTIONS: options,
      BOT_TOKEN: 'a-token',
      RELAY_URL: 'http://127.0.0.1:9',
      BOT_NAME: 'Bot',
      LISTEN: '127.0.0.1:0',
      DATA_DIR: data,
    }
    const args = {
      gateway: [],
      person: ['--data', data, '--relay', 'http://127.0.0.1:9', '--name', 'alice'],
      demo: ['--data', data, '--relay-port', '0', '--gateway-port', '0', '--app', 'off'],
    }[command] as string[]
    const { code, stdout, stderr } = await run([command, ...args], env)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^[^\n]*The MLS library lacks our patch[^\n]*`npm run postinstall`[^\n]*\n$/)
    expect(existsSync(join(data, 'core.db'))).toBe(false)
  },
)

test('[CLI-6.14] postern doctor finds it', async () => {
  const data = join(directory, 'doctor')
  const env = {
    NODE_OPTIONS: options,
    BOT_TOKEN: 'a-token',
    RELAY_URL: 'http://127.0.0.1:9',
    BOT_NAME: 'Bot',
    DATA_DIR: data,
  }
  const { code, stdout, stderr } = await run(['doctor'], env)
  expect([code, stderr]).toEqual([1, ''])
  expect(stdout).toMatch(/\nFAIL {2}library {4}[^\n]* → The MLS library lacks our patch[^\n]*`npm run postinstall`/)
  expect(existsSync(data)).toBe(false)
})
