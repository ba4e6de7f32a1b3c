// The commands in a document must work: npm scripts exist and JSON is JSON.
import { type Check, documentsOf, type Project, readManifest } from '../project.ts'
import { type Block, commandsOf, parseMarkdown } from './markdown.ts'

/** npm runs these by their name alone; the first ones need a script of ours. */
const scriptCommands = new Set(['start', 'test', 'stop', 'restart'])
const ownCommands = new Set(['ci', 'install', 'exec', 'pack', 'version', 'audit', 'ls', 'run'])

const npmCall = /(?:^|[\s;&|(])npm\s+(?:--?[\w-]+\s+)*([\w:-]+)((?:\s+--?[\w-]+)*)(?:\s+([\w:.-]+))?/g

const npmProblems = (text: string, scripts: ReadonlySet<string>): string[] =>
  [...text.matchAll(npmCall)].flatMap(([, command = '', , argument = '']) => {
    const script = command === 'run' ? argument : command
    if (command === 'run' || scriptCommands.has(command))
      return scripts.has(script) ? [] : [`package.json has no script "${script}"`]
    return ownCommands.has(command) ? [] : [`npm has no command "${command}"`]
  })

const jsonProblem = (text: string): string[] => {
  try {
    JSON.parse(text)
    return []
  } catch (error) {
    return [`not JSON: ${error instanceof Error ? error.message : 'unreadable'}`]
  }
}

const problemsOf = (block: Block, scripts: ReadonlySet<string>): string[] => {
  if (block.language === 'json') return jsonProblem(block.text)
  if (block.language === 'jsonl') return block.text.split('\n').filter(Boolean).flatMap(jsonProblem)
  return npmProblems(commandsOf(block), scripts)
}

const snippetProblems = (project: Project, document: string): string[] => {
  const scripts = new Set(Object.keys(readManifest(project, 'package.json').scripts ?? {}))
  return parseMarkdown(project.read(document)).blocks.flatMap(block =>
    problemsOf(block, scripts).map(problem => `${document}:${block.firstLine}: ${problem}.`),
  )
}

export const checkSnippets: Check = project =>
  documentsOf(project).flatMap(document => snippetProblems(project, document))
