// Real browsers in tests: the Chromium of the run, or a Firefox, pages on separate origins, and workers that answer calls.
export type { ChromiumKind } from '../src/chromium-launch.ts'
export { bundleWorker } from './bundle-worker.ts'
export { connectChromium, openProfile } from './chromium.ts'
export { testContracts } from './contracts-in-chromium.ts'
export { isFirefox, openBrowser } from './either-browser.ts'
export { LivingBrowser } from './living-browser.ts'
export { PageServer } from './page-server.ts'
export { TestWorker, WorkerFailure } from './test-worker.ts'
