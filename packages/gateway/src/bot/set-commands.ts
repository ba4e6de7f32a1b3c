// Sets the bot's commands.
import type { BotCommands } from '@postern/bot-api'
import type { Client } from '@postern/core'
import type { Command } from '@postern/protocol/content'
import type { ServedHooks } from '../hooks/serve-hooks.ts'
import { assertRegistered } from './get-me.ts'

type Setting = BotCommands & { hooks: ServedHooks | undefined }

export async function setCommands(client: Client, { commands, hooks }: Setting): Promise<void> {
  assertRegistered(client)
  const wanted = commands.map(commandOf)
  await (hooks ? hooks.setCommands(wanted) : client.identity.setProfile({ commands: wanted }))
}

/** An empty hint is left out: tapping a command with a hint does not send it. */
const commandOf = ({ name, description = '', args }: BotCommands['commands'][number]): Command => ({
  name,
  description,
  ...(args && { args }),
})
