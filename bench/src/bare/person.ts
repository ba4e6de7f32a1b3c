// A person at the bare relay: no keys and no records.
import { serveParent, settingsFromParent } from '../processes/parent.ts'
import { RoundTrips, type Wanted } from '../processes/round-trips.ts'
import { type BareSettings, BOT } from './frame.ts'
import { RelaySocket } from './relay-socket.ts'

let listener: (text: string) => void = () => {}
const settings = settingsFromParent<BareSettings>()
const relay = new RelaySocket(settings, ({ text }) => listener(text))
const trips = new RoundTrips({
  send: text => relay.send({ to: BOT, text }),
  onText: wanted => {
    listener = wanted
  },
})
serveParent({
  state: { chat: settings.name },
  answers: { echo: (wanted: Wanted) => trips.run(wanted) },
  stop: () => relay.close(),
})
