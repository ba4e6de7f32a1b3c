// The context of the tools: the gateway passes in its client, its settings and its operations.
import type { BotLanguage, EndpointName, Endpoints } from '@postern/bot-api'
import type { Client, Log } from '@postern/core'
import type { AccountId, ChatId, Clock } from '@postern/protocol'
import type { Counter } from '@postern/protocol/metrics'
import type { z } from 'zod'

/** A file that an agent sends, as a form of our own API. */
export type AgentForm = {
  bytesHint: number | undefined
  open(): Promise<{
    file: { name: string; declaredType: string | undefined; bytes: AsyncIterable<Uint8Array> }
    fields(): Promise<Record<string, string>>
  }>
}

export type AgentInput = { params?: Record<string, string>; body?: object; form?: AgentForm; key?: string | undefined }

/** An operation of the gateway under the name of its endpoint: checked and counted as if it came over HTTP. */
export type AgentOperation = <Name extends EndpointName>(
  name: Name,
  input?: AgentInput,
) => Promise<z.infer<Endpoints[Name]['answer']>>

export type McpMetrics = {
  calls: Counter
  asks: Counter
  /** Shows how many questions are open, from now on. */
  watchOpen: (count: () => number) => void
}

export type McpContext = {
  client: Client
  /** The chats that agents may reach. Empty: none. */
  chats: readonly ChatId[]
  /** Whether agents may also write on their own. */
  mayWrite: boolean
  owners: readonly AccountId[]
  language: BotLanguage
  version: string
  metrics: McpMetrics
  clock: Clock
  log: Log
}
