// OpenStack Swift with its S3 interface, for the tests of one file: four servers on one directory, as an operator runs them.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@postern/testkit'
import { afterAll, beforeAll } from 'vitest'
import { type BlobPlace, blobPlaceIn } from '../src/blobs/blob-place.ts'
import { signRequest } from '../src/blobs/s3/sign-request.ts'

const RING_BUILDER = 'swift-ring-builder'
const PROGRAMS = [RING_BUILDER, ...['account', 'container', 'object', 'proxy'].map(part => `swift-${part}-server`)]
/** As tempauth spells an account and its user. */
const KEYS = { AWS_ACCESS_KEY_ID: 'relays:alice', AWS_SECRET_ACCESS_KEY: 'alices-key' }
const REGION = 'us-east-1'
const BUCKET = 'blobs'
const LOOK_AGAIN_MS = 100
const PATIENT = ['conn_timeout', 'node_timeout', 'container_update_timeout'].map(name => `${name} = 60`).join('\n')
/** On a busy machine: thirteen programs in Python are started. */
const START_WITHIN_MS = 600_000

export const SWIFT_MISSING =
  'No OpenStack Swift can run here: install `swift-proxy swift-account swift-container swift-object`, and have a temporary directory with extended attributes.'

export const hasSwift = (): boolean => PROGRAMS.every(isInPath) && hasAttributes(tmpdir())

/** Swift stores the metadata of objects there; not every tmpfs has them. */
function hasAttributes(folder: string): boolean {
  const directory = mkdtempSync(join(folder, 'swift-attributes-'))
  const set = 'import os, sys; os.setxattr(sys.argv[1], "user.test", b"1")'
  const { status } = spawnSync('python3', ['-c', set, directory], { stdio: 'ignore' })
  rmSync(directory, { recursive: true })
  return status === 0
}

function isInPath(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return folders.some(folder => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** For all tests of a file; each has another prefix. */
export function swiftOfFile(): () => Promise<BlobPlace | undefined> {
  let started: Swift | undefined
  beforeAll(async () => void (started = await start()), START_WITHIN_MS)
  afterAll(() => started?.stop())
  return async () =>
    blobPlaceIn(`s3://${BUCKET}/${randomUUID()}?endpoint=${started?.url}&style=path&region=${REGION}`, KEYS)
}

type Swift = { url: string; stop(): Promise<void> }

async function start(): Promise<Swift> {
  const directory = mkdtempSync(join(tmpdir(), 'swift-'))
  mkdirSync(join(directory, 'devices', 'd1'), { recursive: true })
  const children: ChildProcess[] = []
  for (const part of ['account', 'container', 'object']) {
    const port = await freePort()
    makeRing(directory, part, port)
    const pipeline = `[pipeline:main]\npipeline = ${part}-server\n[app:${part}-server]\nuse = egg:swift#${part}\n`
    children.push(serve(directory, part, `${settingsOf(directory, port)}${pipeline}`))
  }
  const port = await freePort()
  children.push(serve(directory, 'proxy', `${settingsOf(directory, port)}${proxy}`))
  const stop = async (): Promise<void> => {
    for (const child of children) {
      const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
      child.kill('SIGKILL')
      await gone
    }
    rmSync(directory, { recursive: true, force: true })
  }
  const url = `http://127.0.0.1:${port}`
  try {
    await makeBucket(url, children)
    return { url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** One replica on one device: no more is needed to store and to read. */
function makeRing(directory: string, part: string, port: number): void {
  const builder = `${part}.builder`
  const steps = [['create', '4', '1', '0'], ['add', `r1z1-127.0.0.1:${port}/d1`, '1'], ['rebalance']]
  for (const step of steps) execFileSync(RING_BUILDER, [builder, ...step], { cwd: directory, stdio: 'ignore' })
}

/** One process each, which ends with a single signal. No server gives up another one because the machine is busy. */
const settingsOf = (directory: string, port: number): string => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${directory}
devices = ${join(directory, 'devices')}
mount_check = false
fallocate_reserve = 0
${PATIENT}
`

const proxy = `[pipeline:main]
pipeline = catch_errors cache s3api tempauth bulk slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
error_suppression_limit = 1000000
${PATIENT}
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
[filter:s3api]
use = egg:swift#s3api
location = ${REGION}
[filter:tempauth]
use = egg:swift#tempauth
user_relays_alice = ${KEYS.AWS_SECRET_ACCESS_KEY} .admin
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`

function serve(directory: string, part: string, settings: string): ChildProcess {
  const path = join(directory, `${part}-server.conf`)
  writeFileSync(path, settings)
  const swiftConf = join(directory, 'swift.conf')
  writeFileSync(swiftConf, '[swift-hash]\nswift_hash_path_prefix = test\nswift_hash_path_suffix = test\n')
  return spawn(`swift-${part}-server`, [path], { stdio: 'ignore' })
}

/** All four servers have to answer for it. */
async function makeBucket(url: string, children: readonly ChildProcess[]): Promise<void> {
  const path = `/${BUCKET}`
  const credentials = {
    accessKeyId: KEYS.AWS_ACCESS_KEY_ID,
    secretAccessKey: KEYS.AWS_SECRET_ACCESS_KEY,
    sessionToken: undefined,
  }
  for (;;) {
    const ended = children.find(({ exitCode }) => exitCode !== null)
    if (ended) throw new Error(`${ended.spawnfile} has ended with ${ended.exitCode}`)
    const asked = { method: 'PUT', path, query: {}, headers: { host: new URL(url).host }, body: [] }
    const { host: _, ...headers } = signRequest(asked, { credentials, region: REGION, nowMs: Date.now() })
    const answer = await fetch(`${url}${path}`, { method: 'PUT', headers }).catch(() => undefined)
    if (answer?.ok) return
    if (answer && answer.status < 500) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    await pause(LOOK_AGAIN_MS)
  }
}
