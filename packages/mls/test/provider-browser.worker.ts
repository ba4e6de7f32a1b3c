// The provider's contract in a browser's worker.
import { answerContracts } from '@postern/testkit/browser-worker'
import { makeBrowserProvider } from '../src/crypto/provider-browser.ts'
import { describeProvider } from './provider.contract.ts'

describeProvider('in Chromium', () => makeBrowserProvider())
describeProvider('in Chromium with noble alone', () => makeBrowserProvider({ crypto: 'noble' }))
answerContracts()
