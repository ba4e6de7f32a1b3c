// The relay's hop and nothing else: a text is passed on to its receiver, and its sender gets an acknowledgement.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { serveParent, settingsFromParent } from '../processes/parent.ts'
import type { BareSettings, Frame } from './frame.ts'
import { Ledger } from './ledger.ts'
import { Lines } from './lines.ts'

const ledger = new Ledger(settingsFromParent<BareSettings>().ledger)
const members = new Map<string, Lines<Frame>>()

async function take(frame: Frame, from: Lines<Frame>): Promise<void> {
  if (frame.kind === 'hello') members.set(frame.name, from)
  if (frame.kind !== 'text') return
  await ledger.keep(frame.text)
  members.get(frame.to)?.send(frame)
  from.send({ kind: 'accepted', id: frame.id })
}

const server = createServer(socket => {
  const lines: Lines<Frame> = new Lines(socket, frame => void take(frame, lines))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
serveParent({
  state: { port: (server.address() as AddressInfo).port },
  stop: () => {
    server.close()
    for (const member of members.values()) member.end()
    ledger.close()
  },
})
