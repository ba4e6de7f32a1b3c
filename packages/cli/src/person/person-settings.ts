// The command line of `postern person`.
import { contentLimits, nameFault, wireLimits } from '@postern/protocol'
import { parseOptions, UsageError } from '../usage-error.ts'

export type PersonSettings = {
  directory: string
  acceptRequests: 'all' | 'ask'
  /** Required at the first start. Later the person follows a new one if the relay there knows the person. */
  relayUrl?: string
  /** Required at the first start. Later a different name renames the person. */
  name?: string
  /** Used until the person is registered. */
  relayInvite?: string
}

const options = {
  relay: { type: 'string' },
  data: { type: 'string' },
  name: { type: 'string' },
  'relay-invite': { type: 'string' },
  requests: { type: 'string', default: 'all' },
} as const

export function readPersonSettings(argv: readonly string[]): PersonSettings {
  const { relay, data, name, requests, 'relay-invite': invite } = parseOptions(argv, options)
  if (!data) throw new UsageError('--data is required')
  if (requests !== 'all' && requests !== 'ask') throw new UsageError('--requests must be all or ask')
  if (relay !== undefined) checkRelay(relay)
  const fault = name !== undefined && nameFault(name, contentLimits.nameCharsMax)
  if (fault) throw new UsageError(`--name: ${fault}`)
  if (invite !== undefined && (!/^[A-Za-z0-9]+$/.test(invite) || invite.length > wireLimits.inviteBytesMax))
    throw new UsageError('--relay-invite must have only the letters and digits of the code')
  return {
    directory: data,
    acceptRequests: requests,
    ...(relay !== undefined && { relayUrl: relay }),
    ...(name !== undefined && { name }),
    ...(invite !== undefined && { relayInvite: invite }),
  }
}

export function personFirstStart({ relayUrl, name }: PersonSettings): { relayUrl: string; name: string; bot: false } {
  if (relayUrl === undefined) throw new UsageError('--relay is required at the first start')
  if (name === undefined) throw new UsageError('--name is required at the first start')
  return { relayUrl, name, bot: false }
}

function checkRelay(text: string): void {
  const protocol = URL.canParse(text) ? new URL(text).protocol : ''
  if (!['http:', 'https:', 'ws:', 'wss:'].includes(protocol))
    throw new UsageError('--relay must be an address that starts with http://, https://, ws:// or wss://')
}
