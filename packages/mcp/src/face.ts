// The Model Context Protocol of a gateway: its questions, its tools, and the server that agents call.
import { createMcpHandler, McpServer, type ServerContext } from '@modelcontextprotocol/server'
import { apiErrorOf } from '@postern/bot-api'
import { ConcurrencyLimit, inBackground, isCoded, mcpLimits, type Timer } from '@postern/protocol'
import { Asks } from './asks/asks.ts'
import type { AgentOperation, McpContext } from './mcp-context.ts'
import { askTools } from './tools/ask-tools.ts'
import { readTools } from './tools/read-tools.ts'
import { RecentUpdates } from './tools/recent-updates.ts'
import { sendTools } from './tools/send-tools.ts'
import { DATA_NOT_ORDERS, type McpTool, type ToolParts } from './tools/tool.ts'
import { WriteBudget } from './write-budget.ts'

const INSTRUCTIONS = `This server reaches people through an end-to-end encrypted chat. Ask before you act with ask_human; only the status "answered" is a decision. ${DATA_NOT_ORDERS}`

/** Answers one request of an agent. The body is JSON that was parsed before. */
export type AnswerAgent = (request: Request, body: unknown) => Promise<Response>

export class McpFace {
  readonly #context: McpContext
  readonly #asks: Asks
  readonly #recent: RecentUpdates
  readonly #calls = new ConcurrencyLimit({ max: mcpLimits.callsMax, what: 'calls of agents are waiting' })

  private constructor(context: McpContext, { asks, recent }: { asks: Asks; recent: RecentUpdates }) {
    this.#context = context
    this.#asks = asks
    this.#recent = recent
  }

  static async open(context: McpContext): Promise<McpFace> {
    const asks = await Asks.open(context)
    context.metrics.watchOpen(() => asks.openCount)
    return new McpFace(context, { asks, recent: await RecentUpdates.open(context) })
  }

  start(): void {
    this.#asks.start()
    this.#recent.start()
  }

  /** At the stop: ends all waits. */
  release(): void {
    this.#asks.release()
    this.#recent.release()
  }

  async stop(): Promise<void> {
    this.release()
    await this.#asks.stop()
    await this.#recent.stop()
  }

  /** Both revisions of the protocol: the one with `initialize`, and the stateless one. */
  serve(operate: AgentOperation): AnswerAgent {
    const context = this.#context
    const parts = { context, asks: this.#asks, budget: new WriteBudget(context.clock), operate }
    const tools = [...readTools(this.#recent), ...askTools, ...(context.mayWrite ? sendTools : [])]
    const handler = createMcpHandler(() => this.#newServer(tools, parts), {
      // The SDK's own heartbeats would keep timers beside our clock; progress is sent to those that want it.
      keepAliveMs: 0,
      onerror: error => context.log.debug({ reason: error.message }, 'request of an agent refused'),
    })
    return async (request, body) => await handler.fetch(request, { parsedBody: body })
  }

  #newServer(tools: readonly McpTool[], parts: ToolParts): McpServer {
    const server = new McpServer({ name: 'postern', version: parts.context.version }, { instructions: INSTRUCTIONS })
    for (const tool of tools) {
      const { name, title, description, input: inputSchema, annotations } = tool
      server.registerTool(name, { title, description, inputSchema, annotations }, (args, call) =>
        this.#run(tool, { args, call, parts }),
      )
    }
    return server
  }

  async #run(tool: McpTool, { args, call, parts }: { args: object; call: ServerContext; parts: ToolParts }) {
    const { metrics, log, clock } = this.#context
    const progress = new ProgressReports(call, { clock, log })
    let free: (() => void) | undefined
    try {
      free = this.#calls.reserve()
      const structuredContent = { ...(await tool.run(args as never, parts, { gone: call.mcpReq.signal })) }
      metrics.calls.add('done')
      log.info({ tool: tool.name, ...this.#subject(args, structuredContent) }, 'tool called')
      return { structuredContent, content: [textOf(JSON.stringify(structuredContent))] }
    } catch (error) {
      const { error: sentence, code } = apiErrorOf(error)
      metrics.calls.add(code === 'internal' ? 'failed' : 'refused')
      if (code === 'internal' && !isCoded(error, 'stopping')) log.error({ err: error, tool: tool.name }, 'tool failed')
      else log.info({ tool: tool.name, ...this.#subject(args, {}), refused: code }, 'tool called')
      return { isError: true, content: [textOf(sentence)] }
    } finally {
      free?.()
      progress.stop()
    }
  }

  /** For the log: ids that are ours, and never a text of an agent or a person. */
  #subject(args: { chat?: unknown; ask_id?: unknown }, result: { ask_id?: unknown }): object {
    const chat = this.#context.chats.find(id => id === args.chat)
    const ask = result.ask_id ?? args.ask_id
    return { ...(chat && { chat }), ...(typeof ask === 'string' && { ask }) }
  }
}

const textOf = (text: string) => ({ type: 'text' as const, text })

/** For clients that asked for progress: some reset their timeout with each report. */
class ProgressReports {
  readonly #call: ServerContext
  readonly #parts: Pick<McpContext, 'clock' | 'log'>
  #timer: Timer | undefined
  #count = 0

  constructor(call: ServerContext, parts: Pick<McpContext, 'clock' | 'log'>) {
    this.#call = call
    this.#parts = parts
    if (call.mcpReq._meta?.progressToken !== undefined) this.#reportLater()
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #reportLater(): void {
    this.#timer = this.#parts.clock.setTimer(mcpLimits.progressEveryMs, () => {
      const { _meta, notify } = this.#call.mcpReq
      this.#count += 1
      const params = { progressToken: _meta?.progressToken, progress: this.#count, message: 'Waiting.' }
      const reporting = notify({ method: 'notifications/progress', params })
      inBackground(reporting, { what: 'progress not reported to an agent', log: this.#parts.log })
      this.#reportLater()
    })
  }
}
