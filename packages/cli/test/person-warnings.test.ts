// The warnings for a person at a terminal.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test as base, expect } from 'vitest'
import { livePerson } from '../src/person/run-person.ts'

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('directory', ({}, { onCleanup }) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-warned-'))
    onCleanup(() => rmSync(directory, { recursive: true }))
    return directory
  })
  /** The standard error of a person whose relay is absent, until it is stopped. */
  .extend('saidAbout', ({ directory }) => async (relayUrl: string): Promise<string> => {
    const streams = { input: new PassThrough(), output: new PassThrough(), errors: new PassThrough() }
    const said = text(streams.errors)
    await livePerson(
      { directory, acceptRequests: 'all', relayUrl, name: 'alice' },
      { streams, stop: AbortSignal.abort() },
    )
    streams.errors.end()
    return await said
  })

test('[CLI-2.16] a relay to which bytes go in clear over a network is warned of in one line', async ({ saidAbout }) => {
  expect(await saidAbout('ws://relay.invalid:8090')).toMatch(
    /^the connection to the relay relay\.invalid:8090 is not encrypted: [^\n]+https:\/\/[^\n]+\n$/,
  )
})

test('[CLI-2.16] one on this machine is not', async ({ saidAbout }) => {
  expect(await saidAbout('http://127.0.0.1:9')).toBe('')
})
