// The command line by which the reader can call this program again from the same directory.
import { basename, relative } from 'node:path'

type Called = { argv: readonly string[]; env: Readonly<Record<string, string | undefined>> }

export function posternCommand({ argv, env }: Called): string {
  const [, launcher = ''] = argv
  const { npm_lifecycle_event: byNpm } = env
  // npm names everything that npx runs `npx`, and a script by its own name.
  if (byNpm === 'npx') return 'npx postern'
  if (byNpm !== undefined) return 'npm run --silent postern --'
  // Node keeps the name under which a program was found on the path.
  return basename(launcher) === 'postern' ? 'postern' : `node ${relative('.', launcher)}`
}
