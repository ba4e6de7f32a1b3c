// The steps of a start, read from its source: a test can make a program fail before each of them, and before those added later.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { relative } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Node, parseSync, type Statement } from 'oxc-parser'

const ROOT = new URL('../../../', import.meta.url)
const STEP = 'posternStartStep'

/** By file, from the root of the repository: functions, or `Class.method`. Each statement in them is a step. */
export type StartFunctions = Readonly<Record<string, readonly string[]>>

type FunctionBody = { name: string; isAsync: boolean; statements: readonly Statement[] }
type Edit = { at: number; text: string }

/** Load it before the sources that it watches, in a separate process: already loaded code has no steps. */
export class StartSteps {
  /** Called before each step with its name; the step throws its error. */
  onStep: (step: string) => void = () => undefined
  readonly #wanted: Map<string, Set<string>>

  constructor(functions: StartFunctions) {
    this.#wanted = new Map(Object.entries(functions).map(([file, names]) => [new URL(file, ROOT).href, new Set(names)]))
    Object.assign(globalThis, {
      [STEP]: (step: string) => this.onStep(step),
      // In another turn: work that an earlier step has begun continues meanwhile, as it would during a disk access.
      [`${STEP}Later`]: async (step: string) => {
        await nextTurn()
        this.onStep(step)
      },
    })
    registerHooks({
      load: (url, context, nextLoad) => {
        const loaded = nextLoad(url, context)
        const names = this.#wanted.get(url)
        if (!names) return loaded
        return {
          ...loaded,
          source: withSteps(fileURLToPath(url), { source: readFileSync(fileURLToPath(url), 'utf8'), names }),
        }
      },
    })
  }

  /** Functions that were not found in the loaded code: renamed, they would have no steps. */
  get missing(): string[] {
    return [...this.#wanted].flatMap(([url, names]) => [...names].map(name => `${pathOf(url)} ${name}`))
  }
}

const pathOf = (url: string): string => relative(fileURLToPath(ROOT), fileURLToPath(url))

function withSteps(path: string, { source, names }: { source: string; names: Set<string> }): string {
  const edits: Edit[] = []
  for (const { name, isAsync, statements } of bodiesIn(parseSync(path, source).program.body)) {
    if (!names.delete(name)) continue
    for (const { start } of stepsIn(statements)) {
      const line = source.slice(0, start).split('\n').length
      const step = JSON.stringify(`${relative(fileURLToPath(ROOT), path)}:${line} ${name}`)
      const call = isAsync ? `await globalThis.${STEP}Later(${step});` : `globalThis.${STEP}(${step});`
      edits.push({ at: start, text: call })
    }
  }
  return edits
    .toSorted((a, b) => b.at - a.at)
    .reduce((text, { at, text: call }) => text.slice(0, at) + call + text.slice(at), source)
}

function bodiesIn(program: readonly Node[]): FunctionBody[] {
  return program.flatMap(node => {
    const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : node
    if (declared?.type === 'FunctionDeclaration')
      return [{ name: declared.id?.name ?? '', isAsync: declared.async, statements: declared.body?.body ?? [] }]
    if (declared?.type !== 'ClassDeclaration') return []
    return declared.body.body.flatMap((member): FunctionBody[] => {
      if (member.type !== 'MethodDefinition') return []
      const { key, value } = member
      const own = key.type === 'PrivateIdentifier' ? `#${key.name}` : key.type === 'Identifier' ? key.name : ''
      const name = `${declared.id?.name}.${own}`
      return [{ name, isAsync: value.async, statements: value.body?.body ?? [] }]
    })
  })
}

/** Includes statements in blocks; excludes cleanup, which runs when a step has failed. */
function stepsIn(statements: readonly Statement[]): Statement[] {
  return statements.flatMap(statement => {
    const inner = innerOf(statement)
    return inner ? stepsIn(inner) : canFail(statement) ? [statement] : []
  })
}

/** Undefined if it contains no block. */
function innerOf(statement: Statement): readonly Statement[] | undefined {
  if (statement.type === 'BlockStatement') return statement.body
  if (statement.type === 'TryStatement') return statement.block.body
  if (statement.type === 'SwitchStatement') return statement.cases.flatMap(({ consequent }) => consequent)
  const branch = statement.type === 'IfStatement' ? statement.consequent : undefined
  return branch?.type === 'BlockStatement' ? branch.body : undefined
}

const failing = new Set(['AwaitExpression', 'CallExpression', 'ImportExpression', 'NewExpression'])

/** Whether it calls, constructs or awaits anything; the body of a nested function belongs to its caller. */
function canFail(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(canFail)
  if (typeof node !== 'object' || node === null) return false
  const type = 'type' in node ? String(node.type) : ''
  if (failing.has(type)) return true
  return !type.includes('Function') && Object.values(node).some(canFail)
}
