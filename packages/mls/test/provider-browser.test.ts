// The provider of browsers fulfils its contract in a real one.
import { testContracts } from '@postern/testkit/browser'

await testContracts(import.meta.resolve('./provider-browser.worker.ts'))
