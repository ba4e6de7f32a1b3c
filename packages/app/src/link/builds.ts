// Two tabs of different builds: the following page reloads itself, once; if that did not help, the leading one is old.
import type { LinkEnvironment } from './environment.ts'

const RELOADED_FOR = 'postern-reloaded-for'
const TOOK_OVER_FROM = 'postern-took-over-from'

/** Each remedy is tried once for each build of the core: two tabs must not reload each other forever. */
export function judgeBuild(
  coreBuild: string,
  { build, memory }: LinkEnvironment,
): 'yes' | 'reload' | 'take-over' | 'no' {
  if (coreBuild === build) return 'yes'
  const isFirst = (name: string): boolean => {
    if (memory.getItem(name) === coreBuild) return false
    memory.setItem(name, coreBuild)
    return true
  }
  if (isFirst(RELOADED_FOR)) return 'reload'
  return isFirst(TOOK_OVER_FROM) ? 'take-over' : 'no'
}
