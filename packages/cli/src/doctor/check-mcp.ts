// The tools for agents: whether the running gateway serves them to MCP_TOKEN, and which chats they reach.
import type { GatewaySettings } from '@postern/gateway'
import type { Clock } from '@postern/protocol'
import { z } from 'zod'
import { askHttp } from './ask-http.ts'
import { type Diagnosis, fail, ok, warn } from './finding.ts'

type McpCase = {
  mcp: NonNullable<GatewaySettings['mcp']>
  botOwners: GatewaySettings['botOwners']
  /** The address of the running gateway on this machine. */
  url: string
  clock: Clock
}

const LIST_CHATS = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'list_chats', arguments: {} },
})

const listed = z.object({
  result: z.object({
    structuredContent: z.object({ chats: z.array(z.object({ id: z.string(), may_write: z.boolean() })) }),
  }),
})

export async function checkMcp({ mcp, botOwners, url, clock }: McpCase): Promise<Diagnosis[]> {
  const headers = {
    authorization: `Bearer ${mcp.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const answer = await askHttp({ url, path: '/mcp', method: 'POST', headers, body: LIST_CHATS }, clock)
  if (answer.kind === 'none')
    return [fail('mcp', { text: `the gateway does not answer agents: ${answer.why}`, todo: 'check its log' })]
  if (answer.status === 404)
    return [fail('mcp', { text: 'the running gateway serves no agents', todo: 'restart it with MCP=on' })]
  if (answer.status === 401)
    return [
      fail('mcp', { text: 'the running gateway does not accept MCP_TOKEN', todo: 'restart it with the new token' }),
    ]
  const chats = chatsIn(answer.body)
  if (!chats) return [fail('mcp', { text: `the gateway answers agents with ${answer.status}`, todo: 'check its log' })]
  return reached({ mcp, botOwners, chats })
}

type Reached = Pick<McpCase, 'mcp' | 'botOwners'> & { chats: { id: string; may_write: boolean }[] }

function reached({ mcp, botOwners, chats }: Reached): Diagnosis[] {
  if (mcp.chats.length === 0) return [warn('mcp', { text: 'agents reach no chat', todo: 'list chats in MCP_CHATS' })]
  const unknown = mcp.chats.filter(id => !chats.some(chat => chat.id === id)).length
  const closed = chats.filter(chat => !chat.may_write).length
  const open = chats.length - closed
  const found = [
    ...(unknown === 0 ? [] : [absent(unknown, mcp.chats.length)]),
    ...(closed === 0
      ? []
      : [
          warn('mcp', {
            text: `agents cannot write to ${closed} of their chats`,
            todo: 'accept them, or add the bot again',
          }),
        ]),
    ...(botOwners.length > 0
      ? []
      : [warn('mcp', { text: 'questions without `from` are refused', todo: 'set BOT_OWNERS, who then decide' })]),
  ]
  return found.length > 0 ? found : [ok('mcp', `agents reach ${open === 1 ? 'a chat' : `${open} chats`}`)]
}

const absent = (unknown: number, all: number): Diagnosis =>
  warn('mcp', { text: `the bot is not in ${unknown} of the ${all} chats of MCP_CHATS`, todo: 'check their ids' })

/** The answer is JSON, or one event with it. */
function chatsIn(body: string): Reached['chats'] | undefined {
  const json = /^data: (.*)$/m.exec(body)?.[1] ?? body
  try {
    return listed.safeParse(JSON.parse(json)).data?.result.structuredContent.chats
  } catch {
    return undefined
  }
}
