// The program itself: its Node, the code cache for fast starts, and an MLS library with our corrections.
import { assertPatched } from '@postern/core/node'
import { type Diagnosis, fail, messageOf, ok, warn } from './finding.ts'
import type { Machine } from './machine.ts'

export function checkProgram({ machine }: { machine: Machine }): Diagnosis[] {
  const node = `Node ${machine.nodeVersion}`
  if (machine.codeCache !== undefined) return [ok('program', `${node}, with its code cache`)]
  const text = `${node} has no code cache, so every start takes twice as long`
  const todo = 'let its user write to the program folder, or set NODE_COMPILE_CACHE to another folder'
  return [warn('program', { text, todo })]
}

export function checkLibrary(): Diagnosis[] {
  try {
    assertPatched()
    return [ok('library', 'the MLS library has our patch')]
  } catch (error) {
    return [fail('library', { text: 'no gateway starts with this installation', todo: messageOf(error) })]
  }
}
