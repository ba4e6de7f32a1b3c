// Finds modules that reach themselves: the shortest path around each cycle.
import type { ImportGraph } from './import-graph.ts'

/** The shortest path over imports from a module to one that `isGoal`, without the start; undefined when there is none. */
export const findWay = (
  { modules }: ImportGraph,
  start: string,
  isGoal: (path: string) => boolean,
): string[] | undefined => {
  const cameFrom = new Map<string, string>()
  const waiting = [start]
  for (const path of waiting) {
    for (const { to } of modules.get(path)?.imports ?? []) {
      if (to === undefined || cameFrom.has(to)) continue
      cameFrom.set(to, path)
      if (isGoal(to)) return wayTo(to, start, cameFrom)
      waiting.push(to)
    }
  }
  return undefined
}

const wayTo = (goal: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] => {
  const way = [goal]
  for (let at = cameFrom.get(goal); at !== undefined && at !== start; at = cameFrom.get(at)) way.unshift(at)
  return way
}

/** One wrong import closes many cycles: the shortest is reported, and no other that shares a module with it. */
export const findCycles = (graph: ImportGraph): string[][] => {
  const rings = [...graph.modules.keys()].sort().flatMap(start => {
    const way = findWay(graph, start, path => path === start)
    return way === undefined ? [] : [[start, ...way]]
  })
  const told = new Set<string>()
  return rings
    .sort((one, other) => one.length - other.length)
    .filter(ring => {
      const isNew = ring.every(path => !told.has(path))
      if (isNew) for (const path of ring) told.add(path)
      return isNew
    })
}
