// The image, built and run as an operator does it, if there is a builder and a base image.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
/** Another base than the Dockerfile's, for a machine without access to an image registry. */
const named = process.env['POSTERN_NODE_IMAGE']
const base =
  named ?? /ARG NODE_IMAGE=(\S+)/.exec(readFileSync(join(root, 'deploy/image/Dockerfile'), 'utf8'))?.[1] ?? ''

const runner = ['docker', 'podman'].find(name => spawnSync(name, ['--version']).status === 0)
const wordsIn = (name: string) => (process.env[name] ?? '').split(' ').filter(word => word !== '')

/** A machine may have the programs and still not allow them to run anything. */
function obstacle(): string | undefined {
  if (runner === undefined) return 'neither docker nor podman is installed here'
  if (spawnSync(runner, ['image', 'inspect', base]).status !== 0) return `there is no image ${base} here: pull it`
  const words = [
    ...wordsIn('CONTAINER_OPTIONS'),
    'run',
    '--rm',
    '--network',
    'host',
    ...wordsIn('RUN_OPTIONS'),
    base,
    'node',
    '--version',
  ]
  const { status, stderr } = spawnSync(runner, words, { encoding: 'utf8' })
  return status === 0 ? undefined : `${runner} runs nothing here (${stderr.trim().split('\n').at(-1)})`
}

const why = obstacle()
if (why !== undefined) console.warn(`${why}. The image is not built.`)

test.skipIf(why !== undefined)(
  '[CLI-1.18] the image is built, and runs as deploy/image/check asks of it',
  () => {
    const options = named === undefined ? [] : ['--node-image', named]
    const built = spawnSync(join(root, 'scripts/image'), ['--tag', 'localhost/postern:tested', ...options], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    })
    const checks = built.stdout.split('\n').filter(line => /^(ok|FAIL) /.test(line))
    expect([built.status, built.stderr.slice(-2000), checks.filter(line => !line.startsWith('ok'))]).toEqual([
      0,
      expect.anything(),
      [],
    ])
    expect(checks.length).toBeGreaterThanOrEqual(16)
  },
  900_000,
)
