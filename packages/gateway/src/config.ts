// Reads the gateway's settings from the environment. An invalid setting is named in one sentence, and nothing starts.
import { accessSync, constants } from 'node:fs'
import {
  type AccountId,
  CodedError,
  contentLimits,
  type Env,
  isAccountId,
  type ListenAddress,
  nameFault,
  parseListenAddress,
  wireLimits,
} from '@postern/protocol'

export type GatewaySettings = {
  botToken: string
  /** Valid for the metrics alone. */
  metricsToken?: string
  /** Required at the first start. Later the bot follows a new one if the relay there knows the bot. */
  relayUrl?: string
  /** Required at the first start. Later a different name renames the bot. */
  botName?: string
  botAvatar?: string
  /** Used until the bot is registered. */
  relayInvite?: string
  acceptRequests: 'all' | 'contacts'
  updates: 'on' | 'off'
  /** Updates are delivered there instead of being polled. */
  webhook?: { url: string; secret: string }
  hooksUrl?: string
  botOwners: readonly AccountId[]
  /** Whether the reference page of the API is served. */
  reference: 'on' | 'off'
  listen: ListenAddress
  dataDir: string
  logLevel: LogLevel
}

const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export function readSettings(environment: Env): GatewaySettings {
  const env = new Variables(environment)
  const webhook = readWebhook(env)
  const relayUrl = env.url('RELAY_URL', ['http:', 'https:', 'ws:', 'wss:'])
  if (relayUrl !== undefined) checkIsOrigin('RELAY_URL', relayUrl)
  const relayInvite = env.invite('RELAY_INVITE')
  const botName = env.name('BOT_NAME')
  const botAvatar = env.readableFile('BOT_AVATAR')
  const hooksUrl = env.url('HOOKS_URL', ['http:', 'https:'])
  if (hooksUrl !== undefined && /[?#]/.test(hooksUrl))
    throw settingFault('HOOKS_URL', 'must not have a query or a fragment (? or #)')
  return {
    ...readTokens(env),
    ...(relayUrl !== undefined && { relayUrl }),
    ...(relayInvite !== undefined && { relayInvite }),
    ...(botName !== undefined && { botName }),
    ...(botAvatar !== undefined && { botAvatar }),
    acceptRequests: env.choice('ACCEPT_REQUESTS', ['all', 'contacts']) ?? 'all',
    updates: env.choice('UPDATES', ['on', 'off']) ?? 'on',
    ...(webhook && { webhook }),
    ...(hooksUrl !== undefined && { hooksUrl }),
    botOwners: env.accountIds('BOT_OWNERS'),
    reference: env.choice('REFERENCE', ['on', 'off']) ?? 'off',
    listen: env.listenAddress('LISTEN') ?? { host: undefined, port: 8080 },
    dataDir: env.text('DATA_DIR') ?? '/data',
    logLevel: env.choice('LOG_LEVEL', logLevels) ?? 'info',
  }
}

export const settingFault = (setting: string, rule: string, options: ErrorOptions = {}): CodedError =>
  new CodedError('bad-field', { field: setting, rule }, options)

function readTokens(env: Variables): Pick<GatewaySettings, 'botToken' | 'metricsToken'> {
  const botToken = env.token('BOT_TOKEN')
  if (botToken === undefined) throw settingFault('BOT_TOKEN', 'is required: every API request must send it')
  const metricsToken = env.token('METRICS_TOKEN')
  // With the same token, a scraper of the metrics would control the bot.
  if (metricsToken === botToken) throw settingFault('METRICS_TOKEN', 'must differ from BOT_TOKEN')
  return { botToken, ...(metricsToken !== undefined && { metricsToken }) }
}

function readWebhook(env: Variables): GatewaySettings['webhook'] {
  const url = env.url('WEBHOOK_URL', ['http:', 'https:'])
  if (url === undefined) return undefined
  const secret = env.text('WEBHOOK_SECRET')
  if (secret === undefined) throw settingFault('WEBHOOK_SECRET', 'is required when WEBHOOK_URL is set')
  if (secret.startsWith('whsec_') && !/^whsec_[A-Za-z0-9+/]{4,}={0,2}$/.test(secret))
    throw settingFault('WEBHOOK_SECRET', 'must be base64 after whsec_')
  if (env.choice('UPDATES', ['on', 'off']) === 'off')
    throw settingFault('WEBHOOK_URL', 'cannot be set together with UPDATES=off')
  return { url, secret }
}

function checkIsOrigin(setting: string, text: string): void {
  const { pathname, search, hash, username } = new URL(text)
  if (pathname !== '/' || search + hash + username !== '')
    throw settingFault(setting, 'must have only a scheme, host and port, as in https://relay.example.org')
}

/** Variables by name. An empty one counts as not set, because compose files pass it like that. */
class Variables {
  readonly #environment: Env

  constructor(environment: Env) {
    this.#environment = environment
  }

  text(name: string): string | undefined {
    return this.#environment[name] || undefined
  }

  token(name: string): string | undefined {
    const token = this.text(name)
    if (token === undefined) return undefined
    // A header cannot carry other characters: such a token would lock everybody out.
    if (!/^[\x21-\x7e]+$/.test(token))
      throw settingFault(name, 'must have only ASCII letters, digits and punctuation, without spaces and line breaks')
    return token
  }

  invite(name: string): string | undefined {
    const code = this.text(name)
    if (code === undefined) return undefined
    if (!/^[A-Za-z0-9]+$/.test(code) || code.length > wireLimits.inviteBytesMax)
      throw settingFault(name, 'must have only the letters and digits of the code')
    return code
  }

  name(name: string): string | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const rule = nameFault(text, contentLimits.nameCharsMax)
    if (rule !== undefined) throw settingFault(name, rule)
    return text
  }

  choice<const Choices extends readonly string[]>(name: string, choices: Choices): Choices[number] | undefined {
    const text = this.text(name)
    if (text === undefined || choices.includes(text)) return text
    throw settingFault(name, `must be ${choices.join(' or ')}, not ${JSON.stringify(text)}`)
  }

  url(name: string, schemes: readonly string[]): string | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    if (!URL.canParse(text) || !schemes.includes(new URL(text).protocol))
      throw settingFault(
        name,
        `must be an address that starts with ${schemes.map(scheme => `${scheme}//`).join(' or ')}`,
      )
    return text
  }

  readableFile(name: string): string | undefined {
    const path = this.text(name)
    if (path === undefined) return undefined
    try {
      accessSync(path, constants.R_OK)
      return path
    } catch {
      throw settingFault(name, `the file ${JSON.stringify(path)} cannot be read`)
    }
  }

  accountIds(name: string): AccountId[] {
    const words = (this.text(name) ?? '').split(',').map(word => word.trim())
    return words
      .filter(word => word !== '')
      .map(word => {
        if (!isAccountId(word)) throw settingFault(name, `${JSON.stringify(word)} is not an account id`)
        return word
      })
  }

  listenAddress(name: string): ListenAddress | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const address = parseListenAddress(text)
    if (address) return address
    throw settingFault(name, 'must be an address like :8080, 127.0.0.1:8080 or [::1]:8080')
  }
}
