// A relay, a gateway with hooks, and people who have gone offline again: one hook for the chat with each.
import { join } from 'node:path'
import { HttpApi } from '../http-api.ts'
import { Child } from '../processes/child.ts'
import type { GatewaySettings, GatewayState } from '../processes/gateway.ts'
import type { PersonSettings, PersonState } from '../processes/person.ts'

const TOKEN = 'bench-token'

/** Processor time in ms; `edits`: of messages, by the gateway, that the relay has. */
type BotUsage = { gateway: number; relay: number; edits: number }

export type HookBot = {
  url: string
  token: string
  chats: string[]
  secrets: string[]
  usage(): Promise<BotUsage>
  stop(): Promise<void>
}

export async function startHookBot(directory: string, { people }: { people: number }): Promise<HookBot> {
  const relay = await Child.start<{ url: string }>(new URL('../processes/relay.ts', import.meta.url), {
    directory: join(directory, 'relay'),
  })
  const relayUrl = relay.state.url
  const gateway = await Child.start<GatewayState>(new URL('../processes/gateway.ts', import.meta.url), {
    directory: join(directory, 'gateway'),
    relayUrl,
    port: 0,
    token: TOKEN,
    hooksUrl: 'https://hooks.example.org',
  } satisfies GatewaySettings)
  await gateway.ask('online')
  const invite = await gateway.ask<string>('invite')
  const api = new HttpApi({ url: gateway.state.url, token: TOKEN })
  const chats: string[] = []
  const secrets: string[] = []
  for (let at = 0; at < people; at++) {
    const settings: PersonSettings = { directory: join(directory, `person-${at}`), relayUrl, invite }
    const person = await Child.start<PersonState>(new URL('../processes/person.ts', import.meta.url), settings)
    const { chat } = person.state
    await person.stop()
    // The first send proves that the bot has the chat.
    await api.call('POST', `/v1/chats/${chat}/messages`, { text: 'hello' })
    const hook = JSON.parse(await api.call('POST', '/v1/hooks', { chat_id: chat, format: 'alerts' })) as { url: string }
    chats.push(chat)
    secrets.push(hook.url.split('/').at(-1) ?? '')
  }
  api.close()
  const stop = async () => {
    await gateway.stop()
    await relay.stop()
  }
  const usage = async () => ({
    gateway: (await gateway.usage()).cpuMs,
    relay: (await relay.usage()).cpuMs,
    edits: await gateway.ask<number>('edits'),
  })
  return { url: gateway.state.url, token: TOKEN, chats, secrets, usage, stop }
}
