// A joiner of a hostile Welcome, in its own thread: unpatched it climbs a tree without end.
import { parentPort } from 'node:worker_threads'
import { addOf, commit, join, plainGroup, plainPackage } from './plain-group.ts'

const [alice] = await plainGroup('alice', 'carol')
if (alice === undefined) throw new Error('no alice')
const { newState } = await commit(alice)
const poisoned = newState.ratchetTree.map(node =>
  node?.nodeType === 'parent' ? { ...node, parent: { ...node.parent, unmergedLeaves: [1000] } } : node,
)
const bob = await plainPackage('bob')
const { welcome } = await commit({ ...newState, ratchetTree: poisoned }, [addOf(bob)])
parentPort?.postMessage({ kind: 'joining' })
const outcome = await join(welcome, bob).then(
  () => ({ kind: 'joined' }),
  (error: unknown) => ({ kind: 'refused', name: error instanceof Error ? error.name : String(error) }),
)
parentPort?.postMessage(outcome)
