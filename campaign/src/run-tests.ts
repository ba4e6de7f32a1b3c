// `npm run campaign -- tests --times 10`: the tests that depend on chance, with new seeds and more kills than a change has to pass.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { CAMPAIGN_FILES } from '@postern/testkit/random'
import { countedOptions } from './counted-options.ts'

const ROOT = join(import.meta.dirname, '../..')
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')

export async function run(args: readonly string[]): Promise<number> {
  const asked = countedOptions(args, { times: 1 })
  if (typeof asked === 'string') {
    console.error(asked)
    return 2
  }
  for (let time = 1; time <= asked.times; time++) {
    const env = { ...process.env, POSTERN_TEST_CAMPAIGN: '1' }
    const child = spawn(process.execPath, [VITEST, 'run', ...CAMPAIGN_FILES], { cwd: ROOT, env, stdio: 'inherit' })
    const [code] = (await once(child, 'exit')) as [number | null]
    console.error(`run ${time} of ${asked.times}: ${code === 0 ? 'nothing is wrong' : 'something is wrong'}`)
    if (code !== 0) return 1
  }
  return 0
}
