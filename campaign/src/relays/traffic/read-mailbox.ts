// A mailbox as its owner reads it when everything is calm: from its beginning to its head.
import type { BarePerson } from '@postern/testkit/bare-client'
import { keptOf, type Mailbox } from '../check/deed.ts'
import { Line } from './line.ts'

/** Throws when a busy machine has made the relay too slow: then it is read again. */
export async function readWholeMailbox(url: string, person: BarePerson): Promise<Mailbox> {
  const { line } = await Line.dial({ url, person, number: 0 })
  const { client } = line
  try {
    client.autoAcknowledge = true
    const { head } = await line.inTime(client.call('follow', { after: 0 }))
    const lost = client.closed.then((): never => {
      throw new Error('closed')
    })
    // It is closed in the end, when nobody waits any more.
    lost.catch(() => undefined)
    while (client.lastCursor < head)
      await line.inTime(Promise.race([client.delivered(client.entries.length + 1), lost]))
    return { account: person.id, entries: client.entries.map(keptOf) }
  } finally {
    line.end()
  }
}
