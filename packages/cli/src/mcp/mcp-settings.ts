// The command line of `postern mcp`. The token is not on it: other users of the machine would see it.
import { CodedError, type Env } from '@postern/protocol'
import { withSecretFiles } from '@postern/protocol/node'
import { parseOptions, UsageError } from '../usage-error.ts'

export type BridgeSettings = { url: string; token: string }

const options = { url: { type: 'string', default: 'http://127.0.0.1:8080' } } as const

export function readBridgeSettings(argv: readonly string[], env: Env): BridgeSettings {
  const { url: text } = parseOptions(argv, options)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search + url.hash + url.username !== '')
    throw new UsageError('--url must be the address of a gateway, as in http://127.0.0.1:8080')
  const { MCP_TOKEN: token } = withSecretFiles(env, ['MCP_TOKEN'])
  if (!token) throw new CodedError('bad-field', { field: 'MCP_TOKEN', rule: 'is required, as the gateway has it' })
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new CodedError('bad-field', {
      field: 'MCP_TOKEN',
      rule: 'must have only ASCII letters, digits and punctuation',
    })
  return { url: `${url.origin}${url.pathname.replace(/\/(mcp\/?)?$/, '')}/mcp`, token }
}
