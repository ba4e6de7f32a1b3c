// How long a person waits for the app: by the link, on a reload, in a second tab, and without a network.
import { join } from 'node:path'
import type { BrowserContext } from 'playwright-core'
import { median } from '../figures.ts'
import { Child } from '../processes/child.ts'
import type { PersonSettings, PersonState } from '../processes/person.ts'
import type { Row } from '../table.ts'
import { AppPage } from './app-page.ts'

const RELOADS = 5

/** A client without a browser does the same from the start of its process, without any input. */
export type NodePeer = { person: Child<PersonState>; firstMs: number; againMs: number }

export async function startPeer(directory: string, invited: Omit<PersonSettings, 'directory'>): Promise<NodePeer> {
  const settings: PersonSettings = { directory: join(directory, 'peer'), ...invited }
  const start = async () => {
    const startedMs = performance.now()
    const person = await Child.start<PersonState>(new URL('../processes/person.ts', import.meta.url), settings)
    return { person, ms: performance.now() - startedMs }
  }
  const first = await start()
  await first.person.stop()
  const again = await start()
  return { person: again.person, firstMs: first.ms, againMs: again.ms }
}

export type Starts = { messagesMs: number; onlineMs: number; secondMs: number }

/** For a conversation that is open in `tab`. */
export async function measureStarts(context: BrowserContext, tab: AppPage): Promise<Starts> {
  const messages: number[] = []
  const online: number[] = []
  const second: number[] = []
  for (let at = 0; at < RELOADS; at++) {
    await tab.reload()
    messages.push(await tab.markMs('messages'))
    online.push(await tab.markMs('online'))
    const other = await AppPage.open(context, tab.page.url())
    second.push(await other.markMs('messages'))
    await other.close()
  }
  return { messagesMs: median(messages), onlineMs: median(online), secondMs: median(second) }
}

/** Nobody listens at the relay's address any more. */
export async function measureOffline(tab: AppPage): Promise<number> {
  const messages: number[] = []
  for (let at = 0; at < RELOADS; at++) {
    await tab.reload()
    messages.push(await tab.markMs('messages'))
  }
  return median(messages)
}

type Waited = { linkMs: number; starts: Starts; offlineMs: number; peer: NodePeer }

export function startRows({ linkMs, starts, offlineMs, peer }: Waited): Row[] {
  const first = { what: 'Node client, first start', figure: peer.firstMs, better: 'less' } as const
  const again = { what: 'Node client, start', figure: peer.againMs, better: 'less' } as const
  const row = (what: string, ours: number, beside: Row['peer'] & object): Row => ({
    what: `app, ${what}`,
    ours,
    unit: 'ms',
    peer: beside,
  })
  return [
    row('link to the chat with Start', linkMs, first),
    row('reload to messages', starts.messagesMs, again),
    row('reload to online', starts.onlineMs, again),
    row('second tab to messages', starts.secondMs, again),
    row('start without a network to messages', offlineMs, again),
  ]
}
