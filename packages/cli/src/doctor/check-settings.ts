// The gateway's settings: faults that prevent a start, and values that work and are not safe.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { accountFiles } from '@postern/core/node'
import { firstStart, type GatewaySettings, readSettings } from '@postern/gateway'
import { type Env, gatewayLimits, plainRelayWarning } from '@postern/protocol'
import { clauseOf, type Diagnosis, fail, ok, warn } from './finding.ts'

/** Either the settings, or their fault. */
export type ReadSettings = { settings: GatewaySettings; fault: undefined } | { settings: undefined; fault: string }

export function settingsIn(env: Env, directory: string): ReadSettings {
  try {
    const settings = readSettings(env)
    if (isFirstStart(directory)) firstStart(settings)
    return { settings, fault: undefined }
  } catch (error) {
    return { settings: undefined, fault: clauseOf(error) }
  }
}

/** False for an unreadable directory, which is reported separately. */
export function isFirstStart(directory: string): boolean {
  try {
    return statSync(join(directory, accountFiles.database), { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** `relayUrl`: the one that is dialled, if known. */
type Known = { relayUrl: string | undefined; isRunning: boolean }

export function checkSettings({ settings, fault }: ReadSettings, { relayUrl, isRunning }: Known): Diagnosis[] {
  if (fault !== undefined) return [fail('settings', { text: fault, todo: isRunning ? otherSettings : unstartable })]
  const found = [tokenWarning(settings), relayWarning(relayUrl)].filter(warning => warning !== undefined)
  return found.length > 0 ? found : [ok('settings', 'all settings are valid')]
}

const unstartable = 'correct the setting: a gateway does not start with it'
const otherSettings = 'these are not the settings of the running gateway: name its file with --settings'

/** The tokens in our documents, which everybody can read. */
const exampleTokens: ReadonlySet<string> = new Set(['a-token-of-your-choice'])

function tokenWarning({ botToken }: GatewaySettings): Diagnosis | undefined {
  if (exampleTokens.has(botToken)) {
    const text = 'BOT_TOKEN is the example of the documents: anyone who reaches the API controls the bot'
    return warn('settings', { text, todo: 'choose a long random token, as openssl rand -hex 32 prints' })
  }
  const min = gatewayLimits.botTokenCharsAdvised
  if (botToken.length >= min) return undefined
  const text = `BOT_TOKEN has fewer than ${min} characters and could be guessed`
  return warn('settings', { text, todo: 'choose a long random token' })
}

function relayWarning(relayUrl: string | undefined): Diagnosis | undefined {
  if (relayUrl === undefined || plainRelayWarning(relayUrl) === undefined) return undefined
  const { host } = new URL(relayUrl)
  const text = `the connection to the relay ${host} is not encrypted: the network can see which accounts talk, when and how much`
  return warn('settings', { text, todo: 'use an https:// address, with TLS in front of the relay' })
}
