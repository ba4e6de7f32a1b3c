// The gateway's settings: what it would refuse to start with, and what works and is not safe.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { accountFiles } from '@postern/core/node'
import { type Environment, firstStart, type GatewaySettings, readSettings } from '@postern/gateway'
import { gatewayLimits, plainRelayWarning } from '@postern/protocol'
import { clauseOf, type Finding, fail, ok, warn } from './finding.ts'

/** Either the settings, or what is wrong with them. */
export type ReadSettings = { settings: GatewaySettings; fault: undefined } | { settings: undefined; fault: string }

export function settingsIn(env: Environment, directory: string): ReadSettings {
  try {
    const settings = readSettings(env)
    if (isFirstStart(directory)) firstStart(settings)
    return { settings, fault: undefined }
  } catch (error) {
    return { settings: undefined, fault: clauseOf(error) }
  }
}

/** Where the directory may not be looked into nobody knows: that is said of the directory. */
function isFirstStart(directory: string): boolean {
  try {
    return statSync(join(directory, accountFiles.database), { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** `relayUrl`: the one that is dialled, as far as it is known. */
type Known = { relayUrl: string | undefined; isRunning: boolean }

export function lookAtSettings({ settings, fault }: ReadSettings, { relayUrl, isRunning }: Known): Finding[] {
  if (fault !== undefined) return [fail('settings', { text: fault, todo: isRunning ? otherSettings : unstartable })]
  const found = [tokenWarning(settings), relayWarning(relayUrl)].filter(warning => warning !== undefined)
  return found.length > 0 ? found : [ok('settings', 'all of them can be used')]
}

const unstartable = 'put it right: no gateway starts so'
const otherSettings = 'these are not the settings of the gateway that runs: name their file with --settings'

function tokenWarning({ botToken }: GatewaySettings): Finding | undefined {
  const min = gatewayLimits.botTokenCharsAdvised
  if (botToken.length >= min) return undefined
  const text = `BOT_TOKEN has fewer than ${min} characters, and who reaches the API could guess it`
  return warn('settings', { text, todo: 'choose a long random one' })
}

function relayWarning(relayUrl: string | undefined): Finding | undefined {
  if (relayUrl === undefined || plainRelayWarning(relayUrl) === undefined) return undefined
  const { host } = new URL(relayUrl)
  const text = `the relay ${host} is reached in clear: who is on the way sees which accounts talk, when and how much`
  return warn('settings', { text, todo: 'use an https:// address, with TLS before the relay' })
}
