// Clients that others generate from our document: they compile, and one of them talks to a person.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@hey-api/openapi-ts'
import { privateChatId } from '@postern/protocol'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { expect } from 'vitest'
import { onlineGateway } from './api.ts'

const readers = [
  ['3.1', 'alice'],
  ['3.0', 'bob'],
] as const

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('directory', { scope: 'file' }, ({}, { onCleanup }) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-clients-'))
    onCleanup(() => rmSync(directory, { recursive: true, force: true }))
    return directory
  })
  .extend('online', { scope: 'file' }, ({ world }) => onlineGateway(world))

const options = {
  strict: true,
  exactOptionalPropertyTypes: false,
  noEmit: true,
  target: 'es2023',
  module: 'nodenext',
  lib: ['es2023', 'dom', 'dom.iterable'],
  allowImportingTsExtensions: true,
  types: [],
}

const compiler = join(import.meta.dirname, '../../../node_modules/.bin/tsc')

/** Throws with the compiler's output. */
async function compile(folder: string): Promise<void> {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['**/*.ts'] }))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await promisify(execFile)(compiler, ['-p', folder]).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout)
  })
}

/** How a program reads updates: their type alone tells the compiler their fields. */
const reader = (path: string, update: string) => `${path}
export function line(update: ${update}): string {
  switch (update.type) {
    case 'message':
      return \`\${update.message.from.name} at \${update.message.ts.toFixed()}: \${update.message.text ?? update.message.file?.size}\`
    case 'button':
      return update.button.press_id
    case 'notice':
      return update.notice.code === 'timer' ? update.notice.timer_ms.toFixed() : update.notice.code
    default:
      return ''
  }
}
`

test('[GATEWAY-2.23] types by openapi-typescript compile', async ({ directory, online }) => {
  const folder = join(directory, 'types')
  mkdirSync(folder)
  for (const [version] of readers) {
    const types = await openapiTypescript(new URL(`${online.gateway.url}/openapi.json?version=${version}`))
    const imports = `import type { components } from './api-${version}.ts'`
    writeFileSync(join(folder, `api-${version}.ts`), astToString(types))
    writeFileSync(join(folder, `reader-${version}.ts`), reader(imports, "components['schemas']['Update']"))
  }
  await compile(folder)
  const wrong = reader("import type { components } from './api-3.1.ts'", "components['schemas']['Update']")
  writeFileSync(join(folder, 'wrong.ts'), wrong.replace('.ts.', '.time.'))
  await expect(compile(folder)).rejects.toThrow(/wrong\.ts.*'time' does not exist/)
})

/** The program in docs/clients.md, with another address. */
function documentedLoop(url: string): string {
  const page = readFileSync(new URL('../../../docs/clients.md', import.meta.url), 'utf8')
  const program = /^```ts\n(.*?)^```$/ms.exec(page)?.[1] ?? ''
  const placed = program.replace('./postern/', './').replace('http://localhost:8080', url)
  return `declare const process: { env: Record<string, string> }\n${placed}`
}

test.for(readers)(
  '[GATEWAY-2.23] a client by hey-api of OpenAPI %s answers %s once, over a kill',
  async ([version, name], { directory, online, world, onTestFinished }) => {
    const { url, token, client } = online.gateway
    const folder = join(directory, `client-${version}`)
    await createClient({
      input: `${url}/openapi.json?version=${version}`,
      output: { path: folder, importFileExtension: '.ts' },
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
      logs: { level: 'silent', file: false },
    })
    writeFileSync(join(folder, 'reader.ts'), reader("import type { Update } from './types.gen.ts'", 'Update'))
    writeFileSync(join(folder, 'loop.ts'), documentedLoop(url))
    await compile(folder)

    const start = () => spawn(process.execPath, [join(folder, 'loop.ts')], { env: { BOT_TOKEN: token } })
    const person = await world.person(name)
    const bot = privateChatId(client.account)
    let program = start()
    onTestFinished(() => void program.kill('SIGKILL'))
    await person.say(bot, 'Hi')
    await person.hears('Hi')
    // It has confirmed none of the answered updates, or all of them: which one is unknown.
    program.kill('SIGKILL')
    await once(program, 'exit')
    program = start()
    await person.say(bot, 'Again')
    await person.hears('Again')
    expect(person.texts(bot)).toEqual(['Hi', 'Hi', 'Again', 'Again'])
  },
)
