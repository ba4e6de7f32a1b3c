// What a relay counts while it runs: for its metrics, and for the line in its log every hour.
import { CodedError, type Log } from '@postern/protocol'
import { Counter, Histogram, type Metric } from '@postern/protocol/metrics'
import type { RelayVerdict } from '@postern/protocol/relay'

const OUTCOMES = ['accepted', 'duplicate', 'stale', 'refused'] as const
/** In seconds: from a disk that is hardly there to one that is failing. */
const COMMIT_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

export class RelayMetrics {
  readonly messages = new Counter(
    {
      name: 'postern_relay_messages_total',
      help: 'Messages that were sent in, by what became of them.',
      label: 'outcome',
    },
    OUTCOMES,
  )
  readonly commits = new Counter(
    {
      name: 'postern_relay_commits_total',
      help: 'Commits that were sent in, by what became of them.',
      label: 'outcome',
    },
    OUTCOMES,
  )
  readonly delivered = new Counter({
    name: 'postern_relay_delivered_total',
    help: 'Entries that were sent to who follows a mailbox.',
  })
  readonly logins = new Counter(
    { name: 'postern_relay_logins_total', help: 'Logins, by what became of them.', label: 'outcome' },
    ['accepted', 'refused'],
  )
  readonly registrations = new Counter({ name: 'postern_relay_registrations_total', help: 'Accounts that were made.' })
  readonly replaced = new Counter({
    name: 'postern_relay_replaced_total',
    help: 'Connections that a newer one of the same device has ended: two programs on one account when it keeps rising.',
  })
  readonly refusals = new Counter({
    name: 'postern_relay_refusals_total',
    help: 'Calls and requests that were refused, by the code of the error.',
    label: 'code',
  })
  readonly blobBytes = new Counter(
    { name: 'postern_relay_blob_bytes_total', help: 'Bytes of blobs, taken in and handed out.', label: 'direction' },
    ['in', 'out'],
  )
  readonly writes = new Counter({
    name: 'postern_relay_writes_total',
    help: 'Writes, of which many share a transaction.',
  })
  readonly transactions = new Histogram(
    { name: 'postern_relay_transaction_seconds', help: 'How long transactions took until they were on the disk.' },
    COMMIT_BOUNDS,
  )
  readonly swept = new Counter({ name: 'postern_relay_swept_total', help: 'Rows and blobs whose time was over.' })
  readonly logLines = new Counter(
    {
      name: 'postern_relay_log_lines_total',
      help: 'Lines of the log that an operator should look at.',
      label: 'level',
    },
    ['warn', 'error'],
  )

  get metrics(): Metric[] {
    return Object.values(this).filter(isMetric)
  }

  /** What a call for a group's log has come to. */
  judged(kind: 'append' | 'commit', { accepted }: RelayVerdict): void {
    const outcome = accepted === undefined ? 'stale' : accepted.duplicate ? 'duplicate' : 'accepted'
    this.#of(kind).add(outcome)
  }

  refused(call: string, error: unknown): void {
    this.refusals.add(error instanceof CodedError ? error.code : 'internal')
    if (call === 'authenticate') this.logins.add('refused')
    if (call === 'append' || call === 'commit') this.#of(call).add('refused')
  }

  /** One begins; what it gives is called when it is on the disk. */
  transaction(): (writes: number) => void {
    const isOnDisk = this.transactions.begin()
    return writes => {
      this.writes.add('', writes)
      isOnDisk()
    }
  }

  /** The same log, whose lines are counted. */
  counting(log: Log): Log {
    const counted = (level: 'warn' | 'error') => (fields: object, text: string) => {
      this.logLines.add(level)
      log[level](fields, text)
    }
    return {
      debug: (fields, text) => log.debug(fields, text),
      info: (fields, text) => log.info(fields, text),
      warn: counted('warn'),
      error: counted('error'),
    }
  }

  #of(kind: 'append' | 'commit'): Counter {
    return kind === 'append' ? this.messages : this.commits
  }
}

const isMetric = (value: unknown): value is Metric => value instanceof Counter || value instanceof Histogram
