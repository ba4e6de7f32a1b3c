// A gateway in a separate process. It reports that it is ready when it listens; `online` is answered when it has its relay.
import { readSettings, startGateway } from '@postern/gateway'
import type { ChatId } from '@postern/protocol'
import { serveParent, settingsFromParent } from './parent.ts'

export type GatewaySettings = {
  directory: string
  relayUrl: string
  port: number
  token: string
  webhook?: { url: string; secret: string }
  hooksUrl?: string
}
export type GatewayState = { url: string }
export type Renaming = { group: string; name: string }

const { directory, relayUrl, port, token, webhook, hooksUrl } = settingsFromParent<GatewaySettings>()
const gateway = await startGateway({
  settings: readSettings({
    BOT_TOKEN: token,
    BOT_NAME: 'Echo',
    RELAY_URL: relayUrl,
    LISTEN: `127.0.0.1:${port}`,
    DATA_DIR: directory,
    LOG_LEVEL: 'error',
    ...(webhook && { WEBHOOK_URL: webhook.url, WEBHOOK_SECRET: webhook.secret }),
    ...(hooksUrl && { HOOKS_URL: hooksUrl }),
  }),
})
const { client } = gateway

let edits = 0
const edit = client.messages.edit.bind(client.messages)
client.messages.edit = async (...given) => {
  const edited = await edit(...given)
  edits++
  return edited
}

/** Resolves when the bot has this many updates in all. */
async function happened(count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = () => {
    if (client.journal.newest() >= count) resolve()
  }
  const unsubscribe = client.journal.onAppend(look)
  look()
  await promise
  unsubscribe()
}

serveParent({
  state: { url: gateway.url },
  answers: {
    online: () => client.whenOnline({ timeoutMs: 10_000 }),
    invite: () => client.identity.me().inviteUrl,
    edits: () => edits,
    happenings: () => client.journal.newest(),
    happened,
    rename: ({ group, name }: Renaming) => client.chats.renameGroup(group as ChatId, name, { timeoutMs: 30_000 }),
  },
  stop: () => gateway.stop(),
})
