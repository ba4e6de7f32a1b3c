// Every test of a package, and every end-to-end test, cites its rule: in its own name, or in one around it.
import { type Node, parseSync } from 'oxc-parser'
import type { Check, Project } from '../project.ts'

const isTestFile = (path: string): boolean => /^(packages\/[^/]+|e2e)\/test\/.*\.ts$/.test(path)
const citation = /\[[A-Z][A-Z0-9]*-\d+\.\d+/

/** `test(…)`, `describe(…)`, a variant such as `inRelayTime(…)`, and the results of `.each`, `.for`, `.skipIf`. */
const naming = /^(test|describe|it|in[A-Z]\w*|where[A-Z]\w*|test[A-Z]\w*)\b/
const givesTest = /\.(each|for|skipIf|runIf)$/
const setsUp = /\.(extend|beforeAll|beforeEach|afterAll|afterEach)$/

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

function* childrenOf(node: Node): Generator<Node> {
  for (const value of Object.values(node))
    if (Array.isArray(value)) yield* value.filter(isNode)
    else if (isNode(value)) yield value
}

/** The lines of the tests that cite nothing. */
export function uncitedTests(path: string, text: string): number[] {
  const lines: number[] = []
  const visit = (node: Node, isCited: boolean): void => {
    const name = nameOf(node, text)
    const cites = isCited || (name !== undefined && citation.test(name.text))
    if (name && !cites && name.isTest) lines.push(text.slice(0, node.start).split('\n').length)
    for (const child of childrenOf(node)) visit(child, cites)
  }
  for (const node of parseSync(path, text).program.body) visit(node, false)
  return lines
}

function nameOf(node: Node, text: string): { text: string; isTest: boolean } | undefined {
  if (node.type !== 'CallExpression') return undefined
  const callee = text.slice(node.callee.start, node.callee.end)
  const [first] = node.arguments
  const isNamed = first?.type === 'TemplateLiteral' || (first?.type === 'Literal' && typeof first.value === 'string')
  if (!isNamed || !naming.test(callee) || givesTest.test(callee) || setsUp.test(callee)) return undefined
  return { text: text.slice(first.start, first.end), isTest: !callee.startsWith('describe') }
}

export const checkCitations: Check = (project: Project) =>
  project.paths
    .filter(isTestFile)
    .flatMap(path =>
      uncitedTests(path, project.read(path)).map(line => `${path}:${line}: the test cites no rule of a SPEC.md.`),
    )
