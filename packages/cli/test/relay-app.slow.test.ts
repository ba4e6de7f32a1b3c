// The pages that `postern relay` serves to a browser.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtApp } from '@postern/app/build'
import { expect, onTestFinished, test } from 'vitest'
import { Postern } from './process.ts'

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'postern-relay-app-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

async function pageOf(...options: string[]): Promise<string> {
  await using relay = new Postern(['relay', '--listen', '127.0.0.1:0', '--data', temporaryDirectory(), ...options])
  await relay.says('"msg":"listening"')
  const { url } = JSON.parse(relay.stdout.split('\n', 1)[0] ?? '') as { url: string }
  return await (await fetch(url)).text()
}

test('[CLI-1.14] the app that was built here', async () => {
  const app = await builtApp()
  expect(await pageOf()).toBe(readFileSync(join(app, 'index.html'), 'utf8'))
})

test('[CLI-1.14] another folder, or none, where --app says so', async () => {
  const app = temporaryDirectory()
  writeFileSync(join(app, 'index.html'), 'another app')
  expect(await pageOf('--app', app)).toBe('another app')
  expect(await pageOf('--app', 'off')).toMatch(/^This is a Postern relay\./)
})
