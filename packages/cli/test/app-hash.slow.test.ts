// The hash of the app: of the installation, of a relay's copy, and as the tools of a system compute it.
import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtApp } from '@postern/app/build'
import { hashApp, sumsOf } from '@postern/app/hash'
import { startRelay } from '@postern/relay'
import { expect, onTestFinished, test } from 'vitest'
import { hashOfFolder } from '../src/app/print-hash.ts'
import { run } from './process.ts'

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'postern-hash-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

async function relayWith(app: string | undefined): Promise<string> {
  const listen = { host: '127.0.0.1', port: 0 }
  const relay = await startRelay({ listen, dataDirectory: temporaryDirectory(), app })
  onTestFinished(() => relay.stop())
  return relay.url
}

async function copyOfApp(): Promise<string> {
  const folder = join(temporaryDirectory(), 'app')
  cpSync(await builtApp(), folder, { recursive: true })
  return folder
}

test('[CLI-8.6] the hash is that of the list that sha256sum prints for all served files', async () => {
  const folder = await copyOfApp()
  const { hash, files } = await hashOfFolder(folder)
  // The line of docs/app.md.
  const line =
    "find . -type f ! -name '.*' ! -name '*.br' ! -name '*.gz' | sed 's,^./,,' | LC_ALL=C sort | xargs sha256sum | sha256sum"
  expect(execFileSync('sh', ['-c', line], { cwd: folder, encoding: 'utf8' })).toBe(`${hash}  -\n`)
  writeFileSync(join(folder, '../sums'), sumsOf(files))
  execFileSync('sh', ['-c', 'sha256sum --check --quiet ../sums'], { cwd: folder })
  const { code, stdout } = await run(['app', '--hash'])
  expect([code, stdout]).toEqual([0, `${hash}\n`])
})

test('[CLI-8.6] the relay that a server has named in the page changes nothing', async () => {
  const folder = await copyOfApp()
  const { hash } = await hashOfFolder(folder)
  for (const name of ['index.html', 'sw.js']) {
    const before = readFileSync(join(folder, name), 'utf8')
    writeFileSync(join(folder, name), before.replace('data-relay=""', 'data-relay="https://relay.example"'))
    expect(readFileSync(join(folder, name), 'utf8')).not.toBe(before)
  }
  expect((await hashOfFolder(folder)).hash).toBe(hash)
})

test('[CLI-8.7] a relay with the same app is told from one that has changed a byte, and from one without', async () => {
  const { hash } = await hashOfFolder(await builtApp())
  const url = await relayWith(await builtApp())
  const same = await run(['app', '--hash', '--relay', url])
  expect([same.code, same.stdout]).toEqual([0, `${hash}\n${url} serves the same app.\n`])

  const folder = await copyOfApp()
  appendFileSync(join(folder, 'sw.js'), '\n')
  rmSync(join(folder, 'sw.js.br'))
  rmSync(join(folder, 'sw.js.gz'))
  const changed = await run(['app', '--hash', '--relay', await relayWith(folder)])
  expect([changed.code, changed.stdout]).toEqual([1, expect.stringMatching(/^Different files: sw\.js$/m)])

  const none = await run(['app', '--hash', '--relay', await relayWith(undefined)])
  expect([none.code, none.stdout]).toEqual([1, ''])
  expect(none.stderr).toMatch(/^--relay: the app cannot be read at .*: \/files\.json is answered with 404\.\n$/)
})

test.each([
  ['no JSON', 'x'],
  ['no list', '{"build":"a","files":"/"}'],
  ['a path to another server', '{"build":"a","files":["//evil.example/x"]}'],
  ['an address', '{"build":"a","files":["https://evil.example/"]}'],
  ['no path', '{"build":"a","files":[1]}'],
  ['too many files', JSON.stringify({ build: 'a', files: Array.from({ length: 2001 }, () => '/x') })],
])('[CLI-8.7] a list that is %s is refused', async (_, list) => {
  await expect(hashApp(async () => new TextEncoder().encode(list))).rejects.toThrow()
})
