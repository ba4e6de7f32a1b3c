// Runs a page from its first block to its last, and reports what in it is wrong.
import { differenceIn } from './compare-answer.ts'
import { type Step, stepsOf } from './page-steps.ts'
import { type Outcome, Scene } from './scene.ts'

/** A block that the test of the pages does not run: another test types it, or nothing can. */
export type Untried = { readonly page: string; readonly begins: string } & (
  | { readonly typedBy: string }
  | { readonly why: string }
)

type Page = { readonly path: string; readonly text: string }

/** The blocks of a page that the list excludes. */
const isUntried = ({ text }: Step, list: readonly Untried[]): boolean =>
  list.some(({ begins }) => `${text}\n`.startsWith(begins))

/** The first fault, with its line; undefined when the whole page is right. */
export async function faultIn({ path, text }: Page, untried: readonly Untried[]): Promise<string | undefined> {
  const list = untried.filter(({ page }) => page === path)
  const steps = stepsOf(text).filter(
    (step, at, all) => !isUntried(step.kind === 'answer' ? (all[at - 1] ?? step) : step, list),
  )
  if (steps.every(({ kind }) => kind !== 'shell')) return undefined
  const scene = await Scene.open()
  try {
    return await firstFault(steps, { scene, path })
  } finally {
    await scene.close()
  }
}

type Stage = { scene: Scene; path: string }

async function firstFault(steps: readonly Step[], { scene, path }: Stage): Promise<string | undefined> {
  let last: Outcome | undefined
  for (const [at, step] of steps.entries()) {
    const next = steps[at + 1]
    if (step.kind === 'file') scene.writeFile(step.name, step.text)
    else if (step.kind === 'alice') {
      await scene.letAlice(step.text)
      last = undefined
    } else if (step.kind === 'answer') {
      const fault = await answerFault(step.text, last, scene)
      if (fault !== undefined) return `${path}:${step.line}: ${fault}`
    } else {
      last = await scene.run(step.text)
      scene.answered.push(...jsonLines(last.stdout))
      const mayFail = next?.kind === 'answer' && 'error' in Object(JSON.parse(next.text))
      if ((last.code !== 0) !== mayFail)
        return `${path}:${step.line}: exit code ${last.code}: ${last.stdout}${last.stderr}`
    }
  }
  return undefined
}

/** A command answers at its end; a server prints it at some time. */
async function answerFault(text: string, last: Outcome | undefined, scene: Scene): Promise<string | undefined> {
  const written: unknown = JSON.parse(text)
  if (last && !last.server) return differenceIn(written, jsonLines(last.stdout).at(-1))
  const isSaid = (said: string) => jsonLines(said).some(line => differenceIn(written, line) === undefined)
  const asked = last?.server ? [last.server] : scene.servers
  const heard = await Promise.allSettled([Promise.any(asked.map(server => server.says(isSaid)))])
  const said = asked.map(({ stdout }) => stdout).join('')
  return heard[0].status === 'fulfilled' ? undefined : `no server has said it: ${said}`
}

const jsonLines = (text: string): unknown[] =>
  text.split('\n').flatMap(line => {
    try {
      return line.trim() === '' ? [] : [JSON.parse(line) as unknown]
    } catch {
      return []
    }
  })
