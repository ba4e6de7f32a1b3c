// A third-party object store in a separate process, for the tests of one file.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { type BlobPlace, blobPlaceIn } from '../src/blobs/blob-place.ts'

const MAIN = createRequire(import.meta.url).resolve('s3rver/bin/s3rver.js')
/** The only keys that it knows. */
const KEYS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }

/** For all tests of a file; each has another prefix. */
export function s3rverOfFile(): () => Promise<BlobPlace | undefined> {
  let started: Promise<S3rver> | undefined
  afterAll(async () => (await started)?.stop())
  return async () => {
    const { url } = await (started ??= start())
    return blobPlaceIn(`s3://blobs/${randomUUID()}?endpoint=${url}&style=path`, KEYS)
  }
}

type S3rver = { url: string; stop(): Promise<void> }

async function start(): Promise<S3rver> {
  const directory = mkdtempSync(join(tmpdir(), 's3rver-'))
  const flags = ['-d', directory, '-a', '127.0.0.1', '-p', '0', '-s', '--configure-bucket', 'blobs']
  const child = spawn(process.execPath, ['--no-deprecation', MAIN, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  const gone = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await gone
    rmSync(directory, { recursive: true, force: true })
  }
  for await (const said of child.stdout.setEncoding('utf8')) {
    const [, address] = /listening on ([\d.]+:\d+)/.exec(String(said)) ?? []
    if (address !== undefined) return { url: `http://${address}`, stop }
  }
  throw new Error('s3rver has ended')
}
