// `postern <command>`: finds the command and runs it. A command is loaded on demand, so that each starts fast.
import { CodedError, cleanLine, type Env, usageHint } from '@postern/protocol'
import { commandIn, helpOf } from './usage.ts'
import { UsageError } from './usage-error.ts'

type PosternCommand = (argv: readonly string[], env: Env) => Promise<number>

const commands: Record<string, PosternCommand> = {
  gateway: async (argv, env) => (await import('@postern/gateway')).runGateway(argv, env),
  relay: async (argv, env) => {
    const [{ runRelay }, { foundApp }] = await Promise.all([import('@postern/relay'), import('@postern/app/build')])
    return runRelay(argv, env, { app: foundApp() })
  },
  person: async argv => (await import('./person/run-person.ts')).runPerson(argv),
  mcp: async (argv, env) => (await import('./mcp/run-mcp.ts')).runMcp(argv, env),
  app: async argv => (await import('./app/run-app.ts')).runApp(argv),
  backup: async (argv, env) => (await import('./backup/run-backup.ts')).runBackup(argv, env),
  restore: async (argv, env) => (await import('./backup/run-restore.ts')).runRestore(argv, env),
  doctor: async (argv, env) => {
    const [{ runDoctor }, { foundApp }] = await Promise.all([
      import('./doctor/run-doctor.ts'),
      import('@postern/app/build'),
    ])
    return runDoctor(argv, env, foundApp())
  },
  demo: async argv => (await import('./demo/run-demo.ts')).runDemo(argv),
}

/** Resolves with the exit code: 2 for an invalid command line. */
export async function runPostern(argv: readonly string[], env: Env): Promise<number> {
  const [name, ...rest] = argv
  if (name === '--version') return await printVersion()
  if (name === 'help' || argv.some(word => word === '--help' || word === '-h')) {
    process.stdout.write(helpOf(name === 'help' ? rest : argv))
    return 0
  }
  const command = Object.hasOwn(commands, name ?? '') ? commands[name ?? ''] : undefined
  if (!command)
    return refuse(name === undefined ? 'Name a command.' : `There is no command ${JSON.stringify(name)}.`, [])
  try {
    return await command(rest, env)
  } catch (error) {
    if (error instanceof UsageError) return refuse(`postern ${name}: ${error.message}`, argv)
    if (!(error instanceof CodedError)) throw error
    process.stderr.write(`${cleanLine(error.message)}\n`)
    return 1
  }
}

async function printVersion(): Promise<number> {
  const { default: manifest } = await import('../package.json', { with: { type: 'json' } })
  process.stdout.write(`postern ${manifest.version}\n`)
  return 0
}

/** One sentence that says what is wrong, and one line that says where to look. */
function refuse(sentence: string, words: readonly string[]): number {
  const command = commandIn(words)
  const hint = command === undefined ? 'Run "postern help" to see the commands.' : usageHint(command)
  process.stderr.write(`${cleanLine(sentence).replace(/\.?$/, '.')}\n${hint}\n`)
  return 2
}
