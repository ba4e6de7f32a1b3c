// Counters of a running relay, for its metrics and for the hourly line in its log.
import { CodedError, type Log } from '@postern/protocol'
import { Counter, Histogram, type Metric } from '@postern/protocol/metrics'
import type { RelayVerdict } from '@postern/protocol/relay'
import { PushCounter } from './push-counter.ts'

const OUTCOMES = ['accepted', 'duplicate', 'stale', 'refused'] as const
/** In seconds: from a disk that costs almost nothing to one that is failing. */
const COMMIT_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

type EnvelopeCall = 'append' | 'appendMarked' | 'commit'

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
  readonly pushes = new PushCounter()
  readonly pushEntries = new Counter({
    name: 'postern_relay_push_entries_read_total',
    help: 'Entries of mailboxes that were read to find pushes.',
  })
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

  /** Counts the outcome of an append or a commit. */
  judged(kind: EnvelopeCall, { accepted }: RelayVerdict): void {
    const outcome = accepted === undefined ? 'stale' : accepted.duplicate ? 'duplicate' : 'accepted'
    this.#of(kind).add(outcome)
  }

  refused(call: string, error: unknown): void {
    this.refusals.add(error instanceof CodedError ? error.code : 'internal')
    if (call === 'authenticate') this.logins.add('refused')
    if (call === 'append' || call === 'appendMarked' || call === 'commit') this.#of(call).add('refused')
  }

  /** Begins a transaction; call the returned function when it is on disk. */
  transaction(): (writes: number) => void {
    const isOnDisk = this.transactions.begin()
    return writes => {
      this.writes.add('', writes)
      isOnDisk()
    }
  }

  /** Returns the same log with its warnings and errors counted. */
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

  #of(kind: EnvelopeCall): Counter {
    return kind === 'commit' ? this.commits : this.messages
  }
}

const isMetric = (value: unknown): value is Metric =>
  value instanceof Counter || value instanceof Histogram || value instanceof PushCounter
