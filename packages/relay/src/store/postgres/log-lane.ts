// stub
import type { Verdict } from '@postern/protocol/relay'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { Append, Commit, StoreOptions } from '../relay-store.ts'
import type { AccountNumbers } from './account-numbers.ts'
import type { Acknowledgements } from './acknowledgements.ts'
import type { Postgres } from './database.ts'
import type { EntryCache } from './entry-cache.ts'
import type { FanOut } from './fan-out.ts'

export type LogWrite = { kind: 'append'; append: Append } | { kind: 'commit'; commit: Commit }
type Parts = {
  numbers: AccountNumbers
  entries: EntryCache
  fanOut: FanOut
  acknowledgements: Acknowledgements
  limits: RelayLimits
  observe: StoreOptions['observe']
}

export class LogLane {
  constructor(_database: Postgres, _parts: Parts) {}

  async write(_write: LogWrite): Promise<Verdict> {
    throw new Error('not written yet')
  }

  async caughtUp(): Promise<void> {}
}
