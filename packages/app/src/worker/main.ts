// The one worker of the origin that holds the account: accepts pages, and passes their messages to the host.
import { inBackground } from '@postern/protocol'
import { BUILD } from '../contract/build.ts'
import { LOBBY_CHANNEL, type LobbyMessage, roomOf, type ToCore, type ToPage } from '../contract/messages.ts'
import { Host } from './host.ts'
import { browserPlatform } from './platform-browser.ts'

/** The page that started this worker uses the worker's own port. */
const LEADER = 'leader'

const core = crypto.randomUUID()
// The page has named the worker by its relay.
const platform = browserPlatform(self.name)
const host = new Host(platform)
const ready: ToPage = { kind: 'ready', core, build: BUILD }

host.connect(LEADER, message => postMessage(message))
addEventListener('message', ({ data }: MessageEvent<ToCore>) => host.take(LEADER, data))

const rooms = new Map<string, BroadcastChannel>()

function listenIn(name: string): BroadcastChannel {
  const room = new BroadcastChannel(roomOf(name))
  room.addEventListener('message', ({ data }: MessageEvent<ToCore>) => host.take(name, data))
  rooms.set(name, room)
  return room
}

/** The others announce themselves in the lobby, and get a channel each. */
function openRoom(name: string): void {
  for (const [other, room] of rooms) {
    if (host.isConnected(other)) continue
    room.close()
    rooms.delete(other)
  }
  const room = rooms.get(name) ?? listenIn(name)
  if (!host.isConnected(name)) host.connect(name, message => room.postMessage(message))
  room.postMessage(ready)
}

const hall = new BroadcastChannel(LOBBY_CHANNEL)
hall.addEventListener('message', ({ data }: MessageEvent<LobbyMessage>) => {
  if ('page' in data) openRoom(data.page)
})
hall.postMessage({ core } satisfies LobbyMessage)
postMessage(ready)

inBackground(host.home.start(), { what: 'the account was not opened', log: platform.log })
