// The vitest projects: the needs of a test decide which of them runs it. `npm test` runs `quick`, `npm run test:all` runs all but `campaigns`.
import { globSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { filesInFirefox } from './in-firefox.ts'
import { filesOnPostgres } from './on-postgres.ts'

const EVERYTHING = [
  'packages/*/test/**/*.test.ts',
  'e2e/test/**/*.test.ts',
  'bench/test/**/*.test.ts',
  'campaign/test/**/*.test.ts',
  'scripts/test/**/*.test.ts',
]

type Kind = { name: string; needs: string; files: readonly string[] }

/** A file belongs to the first of these that names it, and otherwise to `quick`. */
export const KINDS: readonly Kind[] = [
  {
    name: 'campaigns',
    needs: 'minutes, and tests only the judges of a campaign: `npm run campaign -- tests` runs it',
    files: ['campaign/test/planted-*'],
  },
  {
    name: 'browsers',
    needs: 'a Chromium',
    files: [
      'packages/app/test/walks/*',
      '**/*browser*.test.ts',
      'bench/test/app.slow.test.ts',
      'packages/gateway/test/{console,reference}.test.ts',
      'packages/relay/test/blob-scripts.test.ts',
    ],
  },
  {
    name: 'kills',
    needs: 'killed processes and power cuts, and a C compiler',
    files: [
      '**/*kill*.test.ts',
      'campaign/test/{chaos,power,relays.}*',
      'packages/cli/test/io-faults*',
      'packages/core/test/failing-disk*',
    ],
  },
  {
    name: 'stores',
    needs: 'PostgreSQL, S3, and moves between them',
    files: [
      'packages/relay/test/{postgres-,blob-place,blobs-s3,move,unique-keys}*',
      'packages/cli/test/{balancer,relay-moves,shared-database}*',
      'e2e/test/{shared-blobs,store-moves}*',
    ],
  },
  {
    name: 'slow',
    needs: 'attacks, faults and old data, with seconds of a processor or processes of their own',
    files: [
      '**/*.slow.test.ts',
      'e2e/test/{hostile,secrets-at-rest,unsteady}*',
      'e2e/test/stored/*',
      'packages/app/test/{account-backup,forwarding}*',
      'packages/core/test/hostile/*',
      'packages/core/test/{crossing-changes,forward-secrecy,healing-in-doubt,in-doubt,recovery,removed-,restored-}*',
      'packages/gateway/test/{clock-set,disk-faults,files-faults,files-readers,hostile-}*',
      'packages/gateway/test/{hooks-doubt,hooks-flood,hooks-mutations,owner-notices,webhook-bad-receivers}*',
      'packages/media/test/{make-preview,picture-head}*',
      'packages/mls/test/hostile-sizes*',
    ],
  },
]

/** These replace a module of ours by `vi.mock`, which only vite can do. */
export const MOCKED_FILES: readonly string[] = [
  'e2e/test/hostile-members.test.ts',
  'packages/core/test/hostile/renewal-by-count.test.ts',
  'packages/gateway/test/hostile-words.test.ts',
]

const root = join(import.meta.dirname, '..')

export const kindOf = (file: string): string =>
  KINDS.find(({ files }) => files.some(pattern => matchesGlob(file, pattern)))?.name ?? 'quick'

export const filesOf = (name: string): string[] =>
  globSync(EVERYTHING, { cwd: root })
    .filter(file => kindOf(file) === name)
    .toSorted()

/** For all others Node loads our sources itself, from its code cache: vite needs a second more to start a relay. */
const byNode = { deps: { external: [/\/packages\/(?!app\/)[^/]+\/src\//] } }

/** A browser that ends in the middle of a test says nothing about the app. Pages that crash or are too slow are not meant. */
const onceMoreWithoutBrowser = { count: 1, condition: /^The browser has ended in the middle of this test/ }

type Run = { name: string; files: string[]; env?: Record<string, string>; isolate?: boolean; setupFiles?: string[] }
type Project = {
  test: {
    name: string
    include: string[]
    env: Record<string, string>
    isolate: boolean
    setupFiles: string[]
    retry: typeof onceMoreWithoutBrowser | 0
    server?: object
  }
  cacheDir?: string
}

function projectsOf({ name, files, env = {}, isolate = true, setupFiles = [] }: Run): Project[] {
  const whole = files.filter(file => !MOCKED_FILES.includes(file))
  const mocked = files.filter(file => MOCKED_FILES.includes(file))
  const retry = name === 'browsers' || name === FIREFOX.name ? onceMoreWithoutBrowser : 0
  const projects: Project[] = [
    { test: { name, include: whole, env, isolate, setupFiles, retry, server: byNode } },
    // A separate cache makes it a separate vite: a shared one leaves to Node what another project leaves to Node.
    {
      test: { name: `${name}, mocked`, include: mocked, env, isolate: true, setupFiles, retry },
      cacheDir: 'node_modules/.cache/vite-mocked',
    },
  ]
  return projects.filter(({ test }) => test.include.length > 0)
}

/** The second run of tests that depend on the store. */
const POSTGRES = { name: 'PostgreSQL', needs: 'the relays of many tests again, on PostgreSQL' }

/** The second run of tests that depend on the browser. */
const FIREFOX = { name: 'Firefox', needs: 'walks through the app again, in Firefox' }

const FIXED_SEEDS = 'scripts/fixed-seeds.ts'

export function testProjects(): Project[] {
  const runs: Run[] = [
    ...KINDS.map(({ name }) => ({ name, files: filesOf(name), setupFiles: name === 'slow' ? [FIXED_SEEDS] : [] })),
    { name: POSTGRES.name, files: filesOnPostgres(), env: { POSTERN_TEST_STORE: 'postgres' } },
    { name: FIREFOX.name, files: filesInFirefox(), env: { POSTERN_TEST_BROWSER: 'firefox' } },
    // One process for many files, which load our modules once. `leftovers.ts` fails a file that leaves something to the next.
    { name: 'quick', files: filesOf('quick'), isolate: false, setupFiles: [FIXED_SEEDS] },
  ]
  return runs.flatMap(projectsOf)
}

/** One line for each project that a run leaves out. */
export function leftOut(projects: readonly string[]): string[] {
  return [...KINDS, POSTGRES, FIREFOX]
    .filter(({ name }) => !projects.includes(name))
    .map(({ name, needs }) => `${name.padEnd(10)} ${needs}`)
}
