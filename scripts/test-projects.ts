// The runs of which `npm test` consists: every file with its relays on SQLite, and many again with them on PostgreSQL.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { filesOnPostgres } from './on-postgres.ts'

const EVERYTHING = [
  'packages/*/test/**/*.test.ts',
  'e2e/test/**/*.test.ts',
  'bench/test/**/*.test.ts',
  'campaign/test/**/*.test.ts',
  'scripts/test/**/*.test.ts',
]

/** These put something else in the place of a module of ours, by `vi.mock`, and only vite can do that. */
export const BENT: readonly string[] = [
  'e2e/test/hostile-members.test.ts',
  'packages/core/test/hostile/renewal-by-count.test.ts',
  'packages/gateway/test/hostile-words.test.ts',
]

/** For all others Node loads our sources itself, from its code cache: by vite a file that starts a relay begins a second later. */
const byNode = { deps: { external: [/\/packages\/(?!app\/)[^/]+\/src\//] } }

type Run = { name: string; files: string[]; env?: Record<string, string> }
type Project = {
  test: { name: string; include: string[]; env: Record<string, string>; server?: object }
  cacheDir?: string
}

function projectsOf({ name, files, env = {} }: Run): Project[] {
  const whole = files.filter(file => !BENT.includes(file))
  const bent = files.filter(file => BENT.includes(file))
  const projects: Project[] = [
    { test: { name, include: whole, env, server: byNode } },
    // A cache of its own makes it a vite of its own: one that is shared leaves to Node what another project leaves to it.
    { test: { name: `${name}, bent`, include: bent, env }, cacheDir: 'node_modules/.cache/vite-bent' },
  ]
  return projects.filter(({ test }) => test.include.length > 0)
}

export function testProjects(): Project[] {
  const root = join(import.meta.dirname, '..')
  const runs = [
    { name: 'all', files: globSync(EVERYTHING, { cwd: root }) },
    { name: 'PostgreSQL', files: filesOnPostgres(), env: { POSTERN_TEST_STORE: 'postgres' } },
  ]
  return runs.flatMap(projectsOf)
}
