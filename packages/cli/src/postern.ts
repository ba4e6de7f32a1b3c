// `postern <command>`: finds the command and runs it. A command is loaded when it is asked for, so that each starts fast.
import { CodedError, cleanLine } from '@postern/protocol'
import { usage } from './usage.ts'
import { UsageError } from './usage-error.ts'

type Environment = Readonly<Record<string, string | undefined>>
type Command = (argv: readonly string[], env: Environment) => Promise<number>

const commands: Record<string, Command> = {
  gateway: async (argv, env) => (await import('@postern/gateway')).runGateway(argv, env),
  relay: async (argv, env) => {
    const [{ runRelay }, { foundApp }] = await Promise.all([import('@postern/relay'), import('@postern/app/build')])
    return runRelay(argv, env, { app: foundApp() })
  },
  person: async argv => (await import('./person/run-person.ts')).runPerson(argv),
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

/** Resolves with the exit code: 2 for a command line that is wrong. */
export async function runPostern(argv: readonly string[], env: Environment): Promise<number> {
  const [name, ...rest] = argv
  if (name === 'help' || argv.some(word => word === '--help' || word === '-h')) {
    process.stdout.write(usage)
    return 0
  }
  const command = Object.hasOwn(commands, name ?? '') ? commands[name ?? ''] : undefined
  if (!command) return refuse(name === undefined ? 'Say what to do.' : `There is no command ${JSON.stringify(name)}.`)
  try {
    return await command(rest, env)
  } catch (error) {
    if (error instanceof UsageError) return refuse(`postern ${name}: ${error.message}`)
    if (!(error instanceof CodedError)) throw error
    process.stderr.write(`${cleanLine(error.message)}\n`)
    return 1
  }
}

function refuse(line: string): number {
  process.stderr.write(`${line}\n\n${usage}`)
  return 2
}
