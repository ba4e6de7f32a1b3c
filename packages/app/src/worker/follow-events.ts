// The worker's one reader of the journal: each event is handled and confirmed, so that the journal does not grow.
import { type Client, followJournal, type JournalEvent } from '@postern/core'
import { appLimits, type Log, logFault } from '@postern/protocol'

const READER = 'alerts'

type Hearing = { log: Log; until: AbortSignal; hear: (event: JournalEvent) => void }

/** Resolves when it is aborted. An event that cannot be handled is skipped: repeated, it would fail forever. */
export async function followEvents({ journal }: Client, { log, until, hear }: Hearing): Promise<void> {
  const read = () => journal.read(journal.confirmed(READER), appLimits.eventsPerPage)
  for await (const entries of followJournal(journal, { read, until })) {
    for (const { json } of entries) {
      try {
        hear(JSON.parse(json) as JournalEvent)
      } catch (error) {
        logFault(error, { what: 'an event was not dealt with', log })
      }
    }
    const last = entries.at(-1)
    if (last) await journal.confirm(READER, last.id, 'recorded')
  }
}
