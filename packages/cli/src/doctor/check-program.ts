// The program itself: its Node, the code cache by which it starts fast, and an MLS library that has our corrections.
import { assertPatched } from '@postern/core/node'
import { type Finding, fail, messageOf, ok, warn } from './finding.ts'
import type { Machine } from './machine.ts'

export function lookAtProgram({ machine }: { machine: Machine }): Finding[] {
  const node = `Node ${machine.nodeVersion}`
  if (machine.codeCache !== undefined) return [ok('program', `${node}, with its code cache`)]
  const text = `${node} has no code cache, and every start takes twice as long`
  const todo = 'let its user write to the folder of the program, or name another in NODE_COMPILE_CACHE'
  return [warn('program', { text, todo })]
}

export function lookAtLibrary(): Finding[] {
  try {
    assertPatched()
    return [ok('library', 'the MLS library has our corrections')]
  } catch (error) {
    return [fail('library', { text: 'no gateway starts with this installation', todo: messageOf(error) })]
  }
}
