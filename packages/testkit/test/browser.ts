// A real Chromium in tests: the browser of the run, pages on separate origins, and workers that answer calls.
export { bundleWorker } from './bundle-worker.ts'
export { connectChromium, openProfile } from './chromium.ts'
export { testContracts } from './contracts-in-chromium.ts'
export { PageServer } from './page-server.ts'
export { TestWorker, WorkerFailure } from './test-worker.ts'
