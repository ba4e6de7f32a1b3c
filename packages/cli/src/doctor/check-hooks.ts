// Incoming hooks as their senders reach them: posts pass, and nothing else of the bot's API does.
import { randomUUID } from 'node:crypto'
import { type Clock, CodedError, type ListenAddress, listenUrl } from '@postern/protocol'
import { z } from 'zod'
import { askHttp, type HttpAnswer } from './ask-http.ts'
import { checkCertificate } from './check-certificate.ts'
import { type Diagnosis, fail, ok, warn } from './finding.ts'

type HooksCase = {
  hooksUrl: string
  /** The address on which the gateway itself listens on this machine. */
  listen: ListenAddress
  clock: Clock
}

export async function checkHooks(looked: HooksCase): Promise<Diagnosis[]> {
  const [answer, open] = await Promise.all([post(looked), openWay(looked)])
  const host = hostOf(looked)
  const posts = postFault(answer, host)
  const faults = [posts, open === undefined ? undefined : openFault(looked, open)].filter(fault => fault !== undefined)
  const found = faults.length > 0 ? faults : [ok('hooks', `${host} passes posts to hooks, and nothing else`)]
  return [...found, ...checkCertificate(answer, { host, clock: looked.clock })]
}

const hostOf = ({ hooksUrl }: HooksCase): string => new URL(hooksUrl).host
const pathOf = ({ hooksUrl }: HooksCase): string => new URL(hooksUrl).pathname.replace(/\/+$/, '')

/** Posts to a hook that does not exist: the gateway answers in words that no proxy uses. */
async function post(looked: HooksCase): Promise<HttpAnswer> {
  const path = `${pathOf(looked)}/hooks/${randomUUID()}`
  const headers = { 'content-type': 'text/plain' }
  return await askHttp({ url: looked.hooksUrl, path, method: 'POST', headers, body: 'x' }, looked.clock)
}

function postFault(answer: HttpAnswer, host: string): Diagnosis | undefined {
  if (answer.kind === 'none') {
    // A machine may not reach its own public address as well as senders do.
    const todo = 'try from another machine, and check the host name, the certificate and the proxy'
    return warn('hooks', { text: `${host} cannot be reached from here: ${answer.why}`, todo: answer.todo ?? todo })
  }
  const said = errorIn(answer)
  if (said?.error === new CodedError('hook-not-found').message) return undefined
  if (said?.code === 'not_found') {
    const text = `the gateway behind ${host} serves no hooks`
    return fail('hooks', { text, todo: 'start it with HOOKS_URL, or point the proxy to the right gateway' })
  }
  const text = `a post to ${host} does not reach a gateway: the server there answers ${answer.status}`
  return fail('hooks', {
    text,
    todo: 'configure the proxy to pass the path of HOOKS_URL with /hooks/ to the running gateway',
  })
}

const wrongWays = ['/v1/me', '/hooks/../v1/me', '/hooks/%2e%2e/v1/me', '/hooks/..%2fv1/me']

/** Without the token: the owner of that host is unknown. The gateway answers that the token is missing. */
async function openWay(looked: HooksCase): Promise<string | undefined> {
  if (isGatewayItself(looked)) return undefined
  const { hooksUrl, clock } = looked
  const found = wrongWays
    .flatMap(way => [...new Set([way, pathOf(looked) + way])].map(path => ({ way, path })))
    .map(async ({ way, path }) => {
      const answer = await askHttp({ url: hooksUrl, path, method: 'GET' }, clock)
      return answer.kind === 'answer' && errorIn(answer)?.code === 'unauthorized' ? way : undefined
    })
  return (await Promise.all(found)).find(way => way !== undefined)
}

/** On this machine alone there is no proxy that could block anything, and nobody to protect it from. */
function isGatewayItself({ hooksUrl, listen }: HooksCase): boolean {
  const { hostname, port } = new URL(hooksUrl)
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  return isLoopback && port === new URL(listenUrl(listen)).port
}

function openFault(looked: HooksCase, way: string): Diagnosis {
  const text = `the whole API of the bot is public at ${hostOf(looked)} (by ${way}): anyone who guesses the token controls the bot`
  return fail('hooks', { text, todo: 'configure the proxy to pass only /hooks/, as the examples in deploy/proxy do' })
}

const gatewayError = z.object({ error: z.string(), code: z.string() })

/** An error in the gateway's format. */
function errorIn({ body }: Extract<HttpAnswer, { kind: 'answer' }>): z.infer<typeof gatewayError> | undefined {
  try {
    return gatewayError.safeParse(JSON.parse(body)).data
  } catch {
    return undefined
  }
}
