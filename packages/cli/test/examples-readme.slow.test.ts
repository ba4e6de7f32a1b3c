// Runs the lines to paste from examples/README.md: `npm start` without the demo's program, and each example next to it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { run } from './process.ts'
import { ScriptedPerson } from './scripted-person.ts'

const root = join(import.meta.dirname, '../../..')

type Message = { id: string; text?: string; poll?: object; buttons?: object; file?: { name: string } }

/** In its own process group, as a shell ends a whole line with Ctrl-C. */
function paste(line: string, stdout: 'pipe' | 'ignore' = 'ignore') {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn('sh', ['-c', line], {
    cwd: root,
    env: { PATH, HOME },
    detached: true,
    stdio: ['ignore', stdout, 'inherit'],
  })
  const closed = once(child, 'close')
  const kill = async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL')
    await closed
  }
  onTestFinished(kill)
  return { child, kill }
}

async function screenOf({ stdout }: ChildProcess): Promise<string> {
  let screen = ''
  for await (const text of stdout?.setEncoding('utf8') ?? []) {
    screen += String(text)
    if (screen.includes('Ctrl-C stops it.')) return screen
  }
  throw new Error(`it ended with: ${screen}`)
}

/** By the example's name: alice's action, and what she sees then. */
const shown: Record<string, { text?: string; file?: string; isAnswer: (message: Message) => boolean }> = {
  'echo.ts': { text: 'Hello, TypeScript!', isAnswer: ({ text }) => text === 'Hello, TypeScript!' },
  'echo.py': { text: 'Hello, Python!', isAnswer: ({ text }) => text === 'Hello, Python!' },
  'echo.sh': { text: 'Hello, shell!', isAnswer: ({ text }) => text === 'Hello, shell!' },
  'deploy-buttons.ts': { text: '/deploy', isAnswer: ({ buttons }) => buttons !== undefined },
  'poll.ts': { text: '/poll Lunch? Pizza, Soup', isAnswer: ({ poll }) => poll !== undefined },
  'alerts.ts': { isAnswer: ({ text }) => text === '🔴 http://127.0.0.1:8099/ does not answer.' },
  'file.ts': { file: 'notes.txt', isAnswer: ({ file }) => file?.name === 'notes.txt.gz' },
}
const needed: Record<string, string[]> = { 'echo.py': ['python3'], 'echo.sh': ['curl', 'jq'] }
const isMissing = (program: string) => spawnSync(program, ['--version']).status !== 0

test('[EXAMPLES-1.8, CLI-3.9] the demo leaves its bot to each example, started as its line says', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-examples-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const readme = readFileSync(join(root, 'examples/README.md'), 'utf8')
  const [start = '', examples = ''] = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block)
  expect(start).toBe('npm ci && npm start -- --bot off\n')
  const elsewhere = `--app off --relay-port 0 --gateway-port 0 --data ${directory}`
  const demo = paste(`${start.replace('npm ci && ', '').trim()} ${elsewhere}`, 'pipe')
  const screen = await screenOf(demo.child)
  const variables = /^ *(export POSTERN_URL=\S+ BOT_TOKEN=\S+)$/m.exec(screen)?.[1]
  expect(variables).toBeDefined()

  const [, relay = ''] = /--relay (\S+)/.exec(screen) ?? []
  await using alice = new ScriptedPerson(['--relay', relay, '--data', join(directory, 'alice'), '--name', 'Alice'])
  await alice.ready()
  const invite = /http:\S+#i\/\S+/.exec(screen)?.[0]
  const { id: chat } = await alice.do('open', { invite, text: 'Is anybody there?' })
  writeFileSync(join(directory, 'notes.txt'), 'words')

  const lines = examples.trim().split('\n')
  const names = lines.map(line => /examples\/\w+\/([\w.-]+)/.exec(line)?.[1] ?? line)
  expect(names.toSorted()).toEqual(Object.keys(shown).toSorted())
  for (const [at, name] of names.entries()) {
    const missing = needed[name]?.filter(isMissing) ?? []
    if (missing.length > 0) console.warn(`${missing.join(' and ')} not installed here: ${name} is not tried`)
    const { text, file, isAnswer } = shown[name] ?? { isAnswer: () => false }
    if (missing.length > 0) continue
    const bot = paste(`${variables}; ${lines[at]?.replace('.postern', directory)}`)
    if (text !== undefined) await alice.do('send', { chat, text })
    if (file !== undefined) await alice.do('file', { chat, path: join(directory, file) })
    await alice.line(({ event, message }) => event === 'message' && isAnswer(message as Message))
    await bot.kill()
  }
  // The first example found the message that was sent before it started.
  expect(alice.messages().filter(({ text }) => text === 'Is anybody there?')).toHaveLength(1)
})

test('[CLI-3.9] --bot must be on or off', async () => {
  expect(await run(['demo', '--bot', 'mine'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^postern demo: --bot must be on or off\.\n/),
  })
})
