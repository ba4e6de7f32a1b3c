// Generated cases are the same in every run, so that a change fails for its own faults; `npm run campaign -- tests`
// draws new ones.
import { isCampaign } from '@postern/testkit/random'
import fc from 'fast-check'

const SEED = 7

if (!isCampaign()) fc.configureGlobal({ seed: SEED })
