// Opens a data directory in a thread of its own, for starts at the same moment.
import { parentPort, workerData } from 'node:worker_threads'
import { openDataDirectory } from '../src/storage/directory/data-directory-node.ts'

const { directory, gate } = workerData as { directory: string; gate: SharedArrayBuffer }
parentPort?.postMessage('ready')
Atomics.wait(new Int32Array(gate), 0, 0)
try {
  openDataDirectory(directory).close()
  parentPort?.postMessage('opened')
} catch (error) {
  parentPort?.postMessage((error as { code?: string }).code ?? String(error))
}
