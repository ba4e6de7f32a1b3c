// Every entry point must answer a Node that is too old with one line, never with a parse error or a crash of the
// database driver.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const launcher = join(root, 'packages/cli/bin/postern.mjs')
const guard = join(root, 'packages/cli/bin/require-node.cjs')

const run = (nodePath: string, args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(nodePath, args, { encoding: 'utf8', cwd: root })
  return { status, stdout, stderr }
}

/** Makes this Node report another version, for a machine without an old Node. */
const pretendVersion = (version: string) => [
  '--import',
  `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`,
]

const majorOf = (nodePath: string): number =>
  Number(run(nodePath, ['-p', 'process.versions.node.split(".")[0]']).stdout.trim())

const oldNodes = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map(folder => join(folder, 'node'))
  .filter(candidate => existsSync(candidate) && majorOf(candidate) < 24)
  .slice(0, 1)

const saysSoInOneLine = (version: RegExp) => ({
  status: 1,
  stdout: '',
  stderr: expect.stringMatching(
    new RegExp(`^Postern needs Node 24 or newer; this is v${version.source}\\.[^\\n]*\\n$`),
  ) as string,
})

describe('a Node that is too old', () => {
  test.each(['20.20.2', '22.18.0', '23.11.0'])(
    '[CLI-1.12] v%s is refused in one line by the postern command',
    version => {
      const args = [...pretendVersion(version), launcher, 'relay']
      expect(run(process.execPath, args)).toEqual(saysSoInOneLine(new RegExp(version.replaceAll('.', '\\.'))))
    },
  )

  test.skipIf(oldNodes.length === 0)('[CLI-1.12] a real one is refused by every entry', () => {
    for (const nodePath of oldNodes)
      for (const entry of [launcher, guard]) expect(run(nodePath, [entry])).toEqual(saysSoInOneLine(/\d+\.\d+\.\d+/))
  })

  test('[CLI-1.12] every npm script that starts our code asks the guard first', async () => {
    const manifest = (await import('../../../package.json', { with: { type: 'json' } })) as {
      default: { scripts: Record<string, string> }
    }
    for (const name of ['start', 'postern', 'test', 'bench', 'check'])
      expect(manifest.default.scripts[name]).toMatch(
        /^node (--max-semi-space-size=4 )?packages\/cli\/bin\/(postern\.mjs|require-node\.cjs && )/,
      )
  })
})

test.each(['24.0.0', '24.21.0', '26.1.0'])('[CLI-1.12] Node v%s passes the guard without a word', version => {
  expect(run(process.execPath, [...pretendVersion(version), guard])).toEqual({ status: 0, stdout: '', stderr: '' })
})
