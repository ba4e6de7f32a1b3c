// Installs the packages that tests and checks need and a running Postern does not, the first time that an npm script needs
// them: `npm ci` leaves them out (`.npmrc`), so that trying Postern takes a third of the space.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
/** npm's list of the installed packages. npm writes it last. */
const list = join(root, 'node_modules/.package-lock.json')
const isComplete = existsSync(list) && readFileSync(list, 'utf8').includes('"node_modules/vitest"')

/** Unlike `npm ci`, this keeps what is there, such as the Node that runs this script. */
const WORDS = ['install', '--include=dev', '--no-save', '--no-audit', '--no-fund']

/** The npm that runs this script, or the one in the path. */
function npm(): { status: number | null } {
  const running = process.env['npm_execpath']
  const [program, words] = running === undefined ? ['npm', WORDS] : [process.execPath, [running, ...WORDS]]
  return spawnSync(program, words, { cwd: root, stdio: ['ignore', 2, 2] })
}

if (!isComplete) {
  process.stderr.write('Installing the tools for tests and checks, once …\n')
  if (npm().status !== 0) {
    process.stderr.write('The tools could not be installed. Run `npm ci --include=dev`.\n')
    process.exitCode = 1
  }
}
