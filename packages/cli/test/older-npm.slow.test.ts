// The README's first commands with the npm that Debian, Ubuntu and older Nodes bring: as a user without rights, with an empty home
// and without a compiler.
import { execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { freePort } from '@postern/testkit/free-port'
import { ordinaryUser } from '@postern/testkit/postgres'
import { isCampaign } from '@postern/testkit/random'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
/** On a disk: a checkout with all its packages would take a gigabyte of memory. */
const PLACE = '/var/tmp'
/** The packages of a checkout that nobody has tested yet; a Node of 122 MB is one of them. README.md says so. */
const PACKAGES_MB_MAX = 260
/** The programs that npm and the scripts of packages start. No compiler, no make, no python. */
const PROGRAMS = ['sh', 'env', 'uname', 'ldd', 'getconf', 'cat', 'sed', 'dirname', 'basename', 'readlink']

const folders = (process.env['PATH'] ?? '').split(delimiter).filter(folder => !folder.includes('node_modules'))

function programPath(name: string): string | undefined {
  return folders.map(folder => join(folder, name)).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const user = ordinaryUser()
let directory: string
let env: Record<string, string>

/** Gives what it said; its exit code is 0. */
async function type(command: string, args: readonly string[], options: SpawnOptions): Promise<string> {
  const child = spawn(command, args, { env, ...user, ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', bytes => (said += String(bytes)))
  const [code] = (await once(child, 'close')) as [number | null]
  expect([code, code === 0 ? '' : said]).toEqual([0, ''])
  return said
}

beforeAll(() => {
  directory = mkdtempSync(join(PLACE, 'postern-npm-'))
  chmodSync(directory, 0o755)
  const programs = join(directory, 'bin')
  mkdirSync(programs)
  // Where there is an older Node, it is what people have; npm must not depend on the one that it brings along.
  symlinkSync(programPath('node') ?? process.execPath, join(programs, 'node'))
  for (const name of PROGRAMS) {
    const path = programPath(name)
    if (path !== undefined) symlinkSync(path, join(programs, name))
  }
  const home = join(directory, 'home')
  mkdirSync(home)
  const own = Object.entries(process.env).filter(([name]) =>
    /^(npm_config_registry|HTTPS?_PROXY|NO_PROXY|NODE_EXTRA_CA_CERTS)$/i.test(name),
  )
  env = { ...(Object.fromEntries(own) as Record<string, string>), HOME: home, PATH: programs }
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', cwd: ROOT }).trim()
  env['npm_config_registry'] = registry
})
afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }))

/** A checkout of the committed files, with an npm of that version first in the path. */
async function newcomer(version: string): Promise<string> {
  const npm = join(directory, `npm-${version}`)
  const checkout = join(directory, `checkout-${version}`)
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, checkout])
  mkdirSync(npm)
  execFileSync('npm', ['install', '--prefix', npm, '--no-audit', '--no-fund', `npm@${version}`], { cwd: npm })
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, directory])
  env['PATH'] = [join(npm, 'node_modules/.bin'), join(directory, 'bin')].join(delimiter)
  expect((await type('npm', ['--version'], { cwd: checkout })).trim()).toBe(version)
  return checkout
}

/** In blocks of 4 kB, without our own packages, which are links. */
function megabytesIn(directory: string): number {
  const blocks = readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter(({ parentPath }) => !parentPath.includes('@postern'))
    .map(entry => Math.ceil(lstatSync(join(entry.parentPath, entry.name)).size / 4096))
    .reduce((sum, each) => sum + each, 0)
  return blocks / 256
}

/** Until it waits for people. */
async function startDemo(checkout: string): Promise<void> {
  const ports = ['--relay-port', `${await freePort()}`, '--gateway-port', `${await freePort()}`]
  const demo = spawn('npm', ['start', '--silent', '--', ...ports], {
    cwd: checkout,
    env,
    ...user,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(demo, 'close')
  try {
    let said = ''
    for await (const bytes of demo.stdout) {
      said += String(bytes)
      if (said.includes('Ctrl-C stops it')) break
    }
    expect(said).toContain('A bot is waiting for you.')
  } finally {
    if (demo.pid !== undefined) process.kill(-demo.pid, 'SIGKILL')
    await gone
  }
}

/** The oldest that people have; a campaign tries one more. */
const VERSIONS = isCampaign() ? ['9.2.0', '10.9.2'] : ['9.2.0']
/** An installation fetches 410 packages, and 360 more for the tests: on a busy machine that takes minutes. */
const TIMEOUT_MS = 900_000

describe.each(VERSIONS)('npm %s', version => {
  test('[CLI-1.23, CLI-1.24] installs what the demo needs, without a compiler, starts it with the Node that it has brought along, and tests', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const checkout = await newcomer(version)
    await type('npm', ['ci'], { cwd: checkout })
    expect(existsSync(join(checkout, 'node_modules/better-sqlite3/build'))).toBe(false)
    expect(megabytesIn(join(checkout, 'node_modules'))).toBeLessThan(PACKAGES_MB_MAX)
    const shown = await type('npm', ['run', '--silent', 'postern', '--', 'help'], { cwd: checkout })
    expect(shown).toMatch(/gateway/)
    await startDemo(checkout)
    // The first test brings the tools along, and changes nothing that is committed.
    const tested = await type('npm', ['test', '--', 'packages/protocol/test/file-name.test.ts'], { cwd: checkout })
    expect(tested).toMatch(/1 passed/)
    const asUser = { env: { ...env, PATH: process.env['PATH'] }, ...user }
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: checkout, encoding: 'utf8', ...asUser })).toBe('')
    rmSync(checkout, { recursive: true, force: true })
  })
})
