// A person's events, passed on to their waiters.
import type { Client, JournalEvent } from '@postern/core'
import { CodedError } from '@postern/protocol'

type Listener = (event: JournalEvent) => void

const PAGE = 1000

export function followJournal({ journal }: Client): (listener: Listener) => void {
  const listeners: Listener[] = []
  let seen = 0
  journal.onAppend(() => {
    for (const { id, json } of journal.read(seen, PAGE)) {
      seen = id
      const event = JSON.parse(json) as JournalEvent
      if (event.type === 'notice' && event.notice.code === 'undecryptable') throw new CodedError('internal')
      for (const listener of listeners) listener(event)
    }
  })
  return listener => void listeners.push(listener)
}
