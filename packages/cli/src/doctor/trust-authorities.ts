// Authorities of one's own, as NODE_EXTRA_CA_CERTS names them for the gateway.
import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import type { Env } from '@postern/protocol'
import { type Diagnosis, warn } from './finding.ts'

const SETTING = 'NODE_EXTRA_CA_CERTS'

/** Node reads the variable when it starts: without this, a file that only `--settings` names would not be trusted here. */
export function trustAuthorities(env: Env): void {
  const path = env[SETTING]
  if (!path || path === process.env[SETTING]) return
  const [pem] = readAuthorities(path)
  if (pem !== undefined) tls.setDefaultCACertificates([...tls.getCACertificates('default'), pem])
}

/** Node ignores a file that it cannot read, with a warning that scrolls away. */
export function checkAuthorities(env: Env): Diagnosis[] {
  const path = env[SETTING]
  if (!path || readAuthorities(path).length > 0) return []
  const text = `${SETTING}: ${path} cannot be read, or holds no certificate, so it is ignored`
  return [warn('settings', { text, todo: 'name a PEM file that the user of the process may read' })]
}

function readAuthorities(path: string): string[] {
  try {
    const pem = readFileSync(path, 'utf8')
    return pem.includes('-----BEGIN CERTIFICATE-----') ? [pem] : []
  } catch {
    return []
  }
}
