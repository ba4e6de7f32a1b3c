// The worker's one reader of the journal: each event is handled and confirmed, so that the journal does not grow.
import { type Client, followJournal, type JournalEvent } from '@postern/core'
import { appLimits, isCoded, type Log, logFault, pause, systemClock } from '@postern/protocol'

const READER = 'alerts'

type Hearing = { log: Log; until: AbortSignal; hear: (event: JournalEvent) => void }

/** Resolves when it is aborted. An event that cannot be handled is skipped: repeated, it would fail forever. */
export async function followEvents({ journal }: Client, { log, until, hear }: Hearing): Promise<void> {
  let heard: number | undefined
  const read = () => {
    heard ??= journal.confirmed(READER)
    return journal.read(heard, appLimits.eventsPerPage)
  }
  const recover = async (error: unknown) => {
    if (isCoded(error, 'stopping')) throw error
    logFault(error, { what: 'events could not be read; will retry', log })
    await pause(systemClock, appLimits.eventsRetryMs, until)
  }
  for await (const entries of followJournal(journal, { read, until, recover })) {
    for (const { json } of entries) {
      try {
        hear(JSON.parse(json) as JournalEvent)
      } catch (error) {
        logFault(error, { what: 'an event was not dealt with', log })
      }
    }
    const last = entries.at(-1)
    if (!last) continue
    // Not repeated if the disk cannot confirm it: nobody wants two alerts for one message.
    heard = last.id
    await journal.confirm(READER, last.id, 'recorded').catch(recover)
  }
}
