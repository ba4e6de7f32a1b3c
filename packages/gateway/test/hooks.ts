// A gateway with hooks, and senders that post to them.
import type { CreatedHook, HookFormat } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import type { Clock } from '@postern/protocol'
import type { Person, TestGateway, World } from '@postern/testkit'
import { expect } from 'vitest'
import { type Api, onlineGateway, SOON } from './api.ts'

export const HOOKS_URL = 'https://hooks.example.org'

export type Posted = { status: number; body: Record<string, unknown>; headers: Headers }

export const secretOf = ({ url }: { url: string }): string => url.split('/').at(-1) ?? ''

/** A post as a sender makes it; never follows a redirect. */
export async function post(
  gateway: { url: string },
  hook: { url: string },
  init: { json?: unknown; body?: BodyInit; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Posted> {
  const { json, headers, ...rest } = init
  const response = await fetch(`${gateway.url}/hooks/${secretOf(hook)}`, {
    method: 'POST',
    redirect: 'manual',
    ...rest,
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  }
}

export const say = (gateway: { url: string }, hook: { url: string }, text: string): Promise<Posted> =>
  post(gateway, hook, { body: text, headers: { 'content-type': 'text/plain' } })

/** A gateway with hooks and alice, who came by the bot's link. */
export async function hookedGateway(
  world: World,
  alice: Person,
  { env = {}, clock }: { env?: Record<string, string>; clock?: Clock } = {},
): Promise<{ gateway: TestGateway; api: Api }> {
  const online = await onlineGateway(world, { HOOKS_URL, ...env }, clock ? { clock } : {})
  await alice.openInvite((await online.api.me()).invite_url)
  await expect.poll(() => online.gateway.client.chats.list().length, SOON).toBeGreaterThan(0)
  return online
}

export const newHook = (api: Api, chat: string, format: HookFormat): Promise<CreatedHook> =>
  api.ok<CreatedHook>('POST', '/v1/hooks', { chat_id: chat, format })

/** The next message of the bot that begins so. */
export async function hearsFrom(person: Person, start: string): Promise<Message> {
  return (await person.next('message', ({ message }) => message.text?.startsWith(start) === true)).message
}
