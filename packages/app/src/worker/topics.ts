// The names of changes: core's topics after a commit, and those of the worker's own state.
import type { Topic as CoreTopic } from '@postern/core'

export type WorkerTopic =
  | CoreTopic
  | 'stage'
  | 'faces'
  | 'outgoing'
  | 'presses'
  | 'drafts'
  | 'marks'
  | 'settings'
  | 'keeping'
  | 'push'

export type Touch = (...topics: WorkerTopic[]) => void
