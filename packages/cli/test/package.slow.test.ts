// The npm package on a machine with Node and nothing else: packed, installed into an empty directory, and used.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { test as base, expect } from 'vitest'
import { bundle } from '../build/bundle.ts'
import { ScriptedPerson } from './scripted-person.ts'

/** npm's own program: `npm` is a shell script, or a link that another Node would run. */
function npmProgram(): string {
  const { npm_execpath: running } = process.env
  if (running !== undefined && running.endsWith('npm-cli.js')) return running
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map(folder => join(folder, 'npm'))
    .find(existsSync)
  if (found === undefined) throw new Error('there is no npm on the PATH')
  return realpathSync(found)
}

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('directory', { scope: 'file' }, ({}, { onCleanup }) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-package-'))
    onCleanup(() => rmSync(directory, { recursive: true }))
    return directory
  })
  /** A machine with Node, its npm, and a shell for npm to run programs with. */
  .extend('machine', { scope: 'file' }, ({ directory }) => {
    const path = join(directory, 'bin')
    mkdirSync(path)
    symlinkSync(process.execPath, join(path, 'node'))
    symlinkSync('/bin/sh', join(path, 'sh'))
    symlinkSync('/usr/bin/env', join(path, 'env'))
    // The way to npm's packages is this machine's own; that a script of ours is running must not show.
    const kept = Object.entries(process.env).filter(([name]) => !/^npm_(lifecycle|package|command)/.test(name))
    return { ...Object.fromEntries(kept), PATH: path, npm_config_prefer_offline: 'true', npm_config_audit: 'false' }
  })
  .extend('installed', { scope: 'file' }, async ({ directory, machine }) => {
    const [app, shipped, place] = ['built-app', 'dist', 'empty'].map(name => join(directory, name)) as [
      string,
      string,
      string,
    ]
    mkdirSync(app)
    writeFileSync(join(app, 'index.html'), 'the page of the app')
    await bundle(shipped, { app })
    mkdirSync(place)
    const npm = (cwd: string, ...words: string[]) =>
      execFileSync(process.execPath, [npmProgram(), ...words], { cwd, env: machine, encoding: 'utf8' })
    const file = npm(directory, 'pack', '--silent', shipped).trim()
    npm(place, 'install', '--silent', '--no-fund', join(directory, file))
    return place
  })

test('[CLI-1.16] packed, installed and started by npx, the demo answers', async ({ directory, machine, installed }) => {
  const data = join(directory, 'demo')
  const npx = join(dirname(npmProgram()), 'npx-cli.js')
  const words = ['postern', 'demo', '--relay-port', '0', '--gateway-port', '0', '--data', data]
  // In its own process group, as a terminal starts it: Ctrl-C goes to npx and to its children.
  const demo = spawn(process.execPath, [npx, ...words], {
    cwd: installed,
    env: machine,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(demo, 'close')
  try {
    let [screen, command] = ['', '']
    for await (const line of createInterface({ input: demo.stdout })) {
      screen += `${line}\n`
      command = /^ {4}(\S.* person .*)$/.exec(line)?.[1] ?? ''
      if (command !== '') break
    }
    expect(command).toMatch(/^npx postern person --relay /)
    const [, invite = ''] = /"invite":"([^"]+)"/.exec(screen) ?? []
    const [, relay = ''] = /--relay (\S+)/.exec(command) ?? []
    expect(await (await fetch(relay)).text()).toBe('the page of the app')
    const launcher = join(installed, 'node_modules/postern/postern.js')
    await using alice = new ScriptedPerson(['--relay', relay, '--data', join(directory, 'alice'), '--name', 'alice'], {
      launcher,
    })
    await alice.ready()
    await alice.do('open', { invite, text: 'Is anybody there?' })
    const heard = await alice.line(
      ({ event, message }) => event === 'message' && JSON.stringify(message).includes('Is anybody there?'),
    )
    expect(heard).toBeDefined()
  } finally {
    process.kill(-(demo.pid ?? 0), 'SIGINT')
    await ended
  }
})

test('[CLI-1.16] it is found by its own name', ({ machine, installed }) => {
  const command = join(installed, 'node_modules/.bin/postern')
  expect(execFileSync(command, ['help'], { env: machine, encoding: 'utf8' })).toContain('Usage: postern <command>')
})
