// Assembles the parts by which a relay pushes.
import type { Clock, Log } from '@postern/protocol'
import type { RelayMetrics } from '../metrics/relay-figures.ts'
import type { PushSignals } from '../store/push-signals.ts'
import type { RelayStore } from '../store/relay-store.ts'
import { type LookUp, PushPoster } from './post-push.ts'
import { PushHosts } from './push-hosts.ts'
import { PushKeys } from './push-keys.ts'
import { PushReach } from './push-reach.ts'
import { Pusher } from './pusher.ts'

export type PushDesk = {
  readonly keys: PushKeys
  readonly hosts: PushHosts
  readonly pusher: Pusher
  readonly reach: PushReach
}

export type PushSettings = {
  /** Push services beside those of the browsers. */
  hosts?: readonly string[]
  /** A URL or a mailto: address at which the operator can be reached. */
  contact?: string | undefined
  /** For tests. */
  lookUp?: LookUp
  random?: () => number
}

type Parts = { store: RelayStore; signals: PushSignals; clock: Clock; log: Log; figures: RelayMetrics; contact: string }

export function openPushDesk(settings: PushSettings = {}, parts: Parts): PushDesk {
  const { store, signals, clock, log, figures } = parts
  const keys = new PushKeys(store.push)
  const hosts = new PushHosts(settings.hosts)
  const poster = new PushPoster({ clock, hosts, lookUp: settings.lookUp })
  const reach = new PushReach(log)
  const contact = settings.contact ?? parts.contact
  const pusher = new Pusher({
    ...{ store: store.push, keys, poster, clock, log, contact, random: settings.random },
    onRead: entries => figures.pushEntries.add('', entries),
    observe: (answer, endpoint) => {
      const service = hosts.serviceOf(endpoint)
      figures.pushes.add(service, answer.kind === 'answered' ? String(answer.status) : answer.code)
      reach.observe(answer, service)
    },
  })
  signals.listen(pusher)
  return { keys, hosts, pusher, reach }
}
