// The rules for a name, in a form that a screen can translate. The rule itself is the protocol's.
import { contentLimits, isSeen, nameFault } from '@postern/protocol'

export type NameProblem = 'empty' | 'long' | 'signs'

export function nameProblem(name: string): NameProblem | undefined {
  const line = name.trim()
  if (!isSeen(line)) return 'empty'
  if ([...line].length > contentLimits.nameCharsMax) return 'long'
  return nameFault(line, contentLimits.nameCharsMax) === undefined ? undefined : 'signs'
}
