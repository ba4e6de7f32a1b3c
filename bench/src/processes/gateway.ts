// A gateway in a process of its own. It says that it is there when it listens; `online` is answered when it has its relay.
import { readSettings, startGateway } from '@postern/gateway'
import { serveParent, settingsFromParent } from './parent.ts'

export type GatewaySettings = { directory: string; relayUrl: string; port: number; token: string }
export type GatewayState = { url: string }

const { directory, relayUrl, port, token } = settingsFromParent<GatewaySettings>()
const gateway = await startGateway({
  settings: readSettings({
    BOT_TOKEN: token,
    BOT_NAME: 'Echo',
    RELAY_URL: relayUrl,
    LISTEN: `127.0.0.1:${port}`,
    DATA_DIR: directory,
    LOG_LEVEL: 'error',
  }),
})
serveParent({
  state: { url: gateway.url },
  answers: {
    online: () => gateway.client.whenOnline({ deadlineMs: 10_000 }),
    invite: () => gateway.client.me().inviteUrl,
  },
  stop: () => gateway.stop(),
})
