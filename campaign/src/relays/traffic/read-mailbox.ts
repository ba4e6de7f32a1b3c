// A mailbox as its owner reads it when all is quiet: from its beginning to its head.
import type { BarePerson } from '@postern/testkit/bare-client'
import { keptOf, type Mailbox } from '../check/deed.ts'
import { Line } from './line.ts'

export async function readWholeMailbox(url: string, person: BarePerson): Promise<Mailbox> {
  const { line } = await Line.dial({ url, person, number: 0 })
  try {
    line.client.autoAcknowledge = true
    const { head } = await line.inTime(line.client.call('follow', { after: 0 }))
    let count = 0
    while (line.client.lastCursor < head) await line.inTime(line.client.delivered(++count))
    return { account: person.id, entries: line.client.entries.map(keptOf) }
  } finally {
    line.end()
  }
}
