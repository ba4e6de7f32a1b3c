// The routes of the Telegram Bot API. The token is in their addresses, so nothing here logs or answers an address.
import type { Update } from '@postern/bot-api'
import type { Client, Log } from '@postern/core'
import { type Clock, fromUtf8, gatewayLimits } from '@postern/protocol'
import { Counter } from '@postern/protocol/metrics'
import {
  findSupported,
  READER,
  type TelegramAnswer,
  TelegramApi,
  TelegramError,
  type TelegramReader,
  telegramAnswerTo,
} from '@postern/telegram'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fullAccess } from '../../access.ts'
import type { LateRefusals } from '../../late-refusals.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { UpdateReaders } from '../../updates/readers.ts'
import { AnswerOutcomes } from '../answer-outcomes.ts'
import { NegotiatedAnswer } from '../answers.ts'
import { secretChecker } from '../authenticate.ts'
import { callInProcess } from '../call-in-process.ts'
import { trustConnection } from '../connections.ts'
import type { GracefulClose } from '../graceful-close.ts'
import type { Handlers } from '../handler.ts'
import { JSON_TYPE } from '../malformed.ts'
import { RequestCaller } from '../request-caller.ts'
import { sendStream } from '../send-stream.ts'
import { acceptUploads } from '../uploads.ts'
import { telegramDeliveries } from './deliver-updates.ts'
import { readRequest } from './read-parameters.ts'

export type TelegramServing = {
  client: Client
  handlers: Handlers
  metrics: Metrics
  botToken: string
  stopping: GracefulClose
  wrongTokens: LateRefusals | undefined
  readers: UpdateReaders
  clock: Clock
  log: Log
}

type Serving = TelegramServing & { telegram: TelegramApi; isToken: (given: string) => boolean; counters: Counters }

/** Stop the returned API before the client: its webhook reads and sends. */
export async function serveTelegram(server: FastifyInstance, options: TelegramServing): Promise<TelegramApi> {
  const { client, handlers, clock, log, botToken, metrics } = options
  const deliver = telegramDeliveries({ ...options, elapsed: client.elapsed })
  const reader = readerOf(options.readers)
  const telegram = await TelegramApi.open({ client, reader, call: callInProcess(handlers), deliver, clock, log })
  const counters = new Counters(metrics)
  const serving = { ...options, telegram, isToken: tokenInPath(botToken), counters }
  const config = { open: true, readsLater: true }
  acceptUploads(server, {
    method: ['GET', 'POST'],
    url: '/bot*',
    config,
    handler: (request, reply) => answerCall(request, reply, serving),
  })
  server.route({
    method: ['GET', 'HEAD'],
    url: '/file/bot*',
    config: { open: true },
    handler: (request, reply) => answerFile(request, reply, serving),
  })
  return telegram
}

function readerOf(readers: UpdateReaders): TelegramReader {
  const use = { name: READER, types: undefined, chats: undefined, from: 'now' } as const
  return {
    poll: async (poll, gone) => JSON.parse(fromUtf8(await readers.pollAhead(poll, use, { gone }))) as Update[],
    durable: () => readers.durable(),
  }
}

/** Libraries that check the form of a token need digits and a colon before ours. */
function tokenInPath(botToken: string): (given: string) => boolean {
  const isToken = secretChecker(botToken)
  return given => {
    const [plain, behindColon] = [isToken(given), isToken(given.replace(/^\d{1,20}:/, ''))]
    return plain || behindColon
  }
}

type Address = { path: string; query: string }

/** Rejects unless the address has the token: a wrong one as late as elsewhere, and a missing one guesses nothing. */
async function addressIn(
  request: FastifyRequest,
  gone: AbortSignal,
  { isToken, wrongTokens }: Serving,
): Promise<Address> {
  const {
    token = '',
    path = '',
    query = '',
  } = /^\/(?:file\/)?bot(?<token>[^/?]*)\/(?<path>[^?]*)(?:\?(?<query>.*))?$/s.exec(request.raw.url ?? '')?.groups ?? {}
  if (!isToken(decoded(token))) {
    const refusal = new TelegramError(401, 'Unauthorized')
    if (token !== '') await wrongTokens?.refuse(refusal, gone)
    throw refusal
  }
  trustConnection(request.raw.socket)
  return { path: decoded(path), query }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

async function answerCall(request: FastifyRequest, reply: FastifyReply, serving: Serving): Promise<FastifyReply> {
  const { telegram, clock, stopping, counters, log } = serving
  const { gone } = new RequestCaller(reply.raw, { fates: new AnswerOutcomes(), access: fullAccess })
  let leave = () => {}
  let method = ''
  try {
    const { path, query } = await addressIn(request, gone, serving)
    method = path
    const incoming = readRequest(request, { query, clock })
    leave = incoming.leave
    const key = request.headers['idempotency-key']
    const read = async () => ({
      ...(await incoming.read()),
      key: typeof key === 'string' ? key : undefined,
      gone,
    })
    const answer = await stopping.orStopping(telegram.run(path, read))
    counters.note('done', method)
    return await sendAnswer(reply, answer)
  } catch (error) {
    const { outcome, ...answer } = telegramAnswerTo(error)
    counters.note(outcome, method)
    if (answer.status === 500 && !gone.aborted)
      log.error({ err: error, method: findSupported(method) }, 'telegram request failed')
    return await sendAnswer(reply, answer)
  } finally {
    leave()
  }
}

const sendAnswer = (reply: FastifyReply, { status, body }: TelegramAnswer): FastifyReply =>
  reply.code(status).type(JSON_TYPE).send(JSON.stringify(body))

async function answerFile(request: FastifyRequest, reply: FastifyReply, serving: Serving): Promise<FastifyReply> {
  const { telegram, handlers, stopping, clock } = serving
  const caller = new RequestCaller(reply.raw, { fates: new AnswerOutcomes(), access: fullAccess })
  try {
    const { path } = await addressIn(request, caller.gone, serving)
    const params = telegram.file(path)
    const input = { params, query: undefined, headers: undefined, body: undefined, upload: undefined, form: undefined }
    const answer = await stopping.orStopping(
      Promise.resolve(handlers.getFile({ ...input, isHead: request.method === 'HEAD' } as never, caller)),
    )
    if (!(answer instanceof NegotiatedAnswer)) throw new TelegramError(404, 'Not Found')
    return await sendStream(reply, answer.answer(request), { clock, stopping })
  } catch (error) {
    if (reply.sent) throw error
    return sendAnswer(reply, telegramAnswerTo(error))
  }
}

class Counters {
  readonly #calls = new Counter(
    {
      name: 'postern_telegram_calls_total',
      help: 'Calls of the Telegram Bot API, by what became of them.',
      label: 'outcome',
    },
    ['done', 'refused', 'unknown', 'failed'],
  )
  readonly #unsupported = new Counter(
    {
      name: 'postern_telegram_unsupported_total',
      help: 'Calls of methods that the gateway does not support.',
      label: 'method',
    },
    ['other'],
  )
  readonly #names = new Set<string>()

  constructor(metrics: Metrics) {
    metrics.add([this.#calls, this.#unsupported])
  }

  note(outcome: 'done' | 'refused' | 'unknown' | 'failed', method: string): void {
    this.#calls.add(outcome)
    if (outcome === 'unknown') this.#unsupported.add(this.#label(method))
  }

  /** A caller may invent names, and each count takes memory: the further ones share one. */
  #label(method: string): string {
    const isKept =
      /^[a-z]{2,64}$/i.test(method) &&
      (this.#names.has(method) || this.#names.size < gatewayLimits.telegramCountedNamesMax)
    if (isKept) this.#names.add(method)
    return isKept ? method : 'other'
  }
}
