// The place for blobs as an operator writes it: what is accepted, what is refused, and that no key is shown.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { blobPlaceIn } from '../src/blobs/blob-place.ts'
import { readConfig } from '../src/index.ts'
import { testS3 } from './blob-places.ts'
import { temporaryDirectory } from './relay-fixture.ts'

const MAIN = new URL('./run-relay.ts', import.meta.url).pathname
const keys = { AWS_ACCESS_KEY_ID: 'alices-key', AWS_SECRET_ACCESS_KEY: 'alices-secret' }

test('[RELAY-8.9] a directory, or a bucket with all that is known of it', () => {
  expect(blobPlaceIn(undefined, {})).toBeUndefined()
  expect(blobPlaceIn('', {})).toBeUndefined()
  expect(blobPlaceIn('/mnt/blobs', {})).toEqual({ kind: 'directory', directory: '/mnt/blobs' })
  expect(blobPlaceIn('s3://blobs', keys)).toMatchObject({
    bucket: 'blobs',
    prefix: '',
    region: 'us-east-1',
    endpoint: 'https://s3.us-east-1.amazonaws.com',
    style: 'host',
  })
  const full = 's3://blobs/of/alice/?region=eu-central-1&endpoint=http://127.0.0.1:9000&style=host'
  expect(blobPlaceIn(full, keys)).toMatchObject({
    prefix: 'of/alice/',
    endpoint: 'http://127.0.0.1:9000',
    style: 'host',
  })
  const endpoint = blobPlaceIn('s3://blobs?endpoint=https://s3.example.org', { ...keys, AWS_REGION: 'eu-west-1' })
  expect(endpoint).toMatchObject({ style: 'path', region: 'eu-west-1' })
  const config = readConfig(['--data', 'x', '--listen', '127.0.0.1:0', '--blobs', full], keys)
  expect(JSON.stringify(config)).not.toMatch(/alices-(key|secret)/)
})

test.for([
  ['blobs', /must be an absolute path/],
  ['https://s3.example.org/blobs', /must be a directory or a bucket, as in s3:/],
  ['s3://', /is not a bucket name|must be an address/],
  ['s3://Blobs_1', /"Blobs_1" is not a bucket name/],
  ['s3://blobs/a//b', /must have a prefix of letters/],
  ['s3://blobs/../b?x=1', /"x" is not one of/],
  ['s3://blobs?region=EU', /"EU" is not a region/],
  ['s3://blobs?endpoint=s3.example.org', /is not an address. Use one like https/],
  ['s3://blobs?style=virtual', /neither path nor host/],
  ['s3://alice:secret@blobs', /must not contain keys/],
] as const)('[RELAY-8.9] %s is refused', ([given, words]) => {
  expect(() => blobPlaceIn(given, keys)).toThrow(words)
  expect(() => blobPlaceIn(given, keys)).toThrow(/^--blobs: /)
})

test('[RELAY-8.9] without keys nothing is begun', () => {
  const none = { AWS_EC2_METADATA_DISABLED: 'true', HOME: temporaryDirectory() }
  expect(() => blobPlaceIn('s3://blobs', none)).toThrow(/^--blobs: set AWS_ACCESS_KEY_ID/)
  expect(() => blobPlaceIn('s3://blobs', { AWS_ACCESS_KEY_ID: 'alices-key' })).toThrow(/^--blobs: set both/)
})

test('[RELAY-8.9] a relay that cannot use its place says so in one line and exits with 1', async () => {
  const server = await testS3()
  const missing = '/there/is/no/such/directory'
  for (const [blobs, env] of [
    [missing, {}],
    [server.address().replace('blobs', 'others'), server.environment],
    [server.address(), { ...server.environment, AWS_SECRET_ACCESS_KEY: 'bobs-secret' }],
  ] as const) {
    const args = [MAIN, '--listen', '127.0.0.1:0', '--data', temporaryDirectory(), '--blobs', blobs]
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [said, out, [code]] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'exit')])
    expect([code, said]).toEqual([1, expect.stringMatching(/^--blobs: [^\n]+\n$/)])
    expect(said + out).not.toMatch(/secret|alices/)
  }
})
