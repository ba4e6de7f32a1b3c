// The certificates that addresses serve: each is looked at a few times a day, with a handshake and no request.
import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { type Clock, Deferred, ownerNoticeLimits } from '@postern/protocol'
import type { AddressCertificate } from './problems.ts'

type Validity = { fromMs: number; expiresMs: number }
/** `certificate`: the last one that was seen. */
type Seen = { dueMs: number; certificate: Validity | undefined }

export class ServedCertificates {
  readonly #clock: Clock
  #seen = new Map<string, Seen>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Addresses without TLS have none. */
  async look(addresses: readonly string[], gone: AbortSignal): Promise<AddressCertificate[]> {
    const hosts = [...new Set(addresses.flatMap(hostOf))]
    const looks = hosts.map(async (host): Promise<[string, Seen]> => [host, await this.#lookAt(host, gone)])
    this.#seen = new Map(await Promise.all(looks))
    return [...this.#seen].map(([host, { certificate }]) => ({
      host,
      certificate: certificate && this.#now(certificate),
    }))
  }

  async #lookAt(host: string, gone: AbortSignal): Promise<Seen> {
    const known = this.#seen.get(host)
    const nowMs = this.#clock.monotonicMs()
    if (known && nowMs < known.dueMs) return known
    const certificate = (await servedBy(host, { clock: this.#clock, gone })) ?? known?.certificate
    return { dueMs: nowMs + ownerNoticeLimits.certificateLookEveryMs, certificate }
  }

  #now({ fromMs, expiresMs }: Validity): AddressCertificate['certificate'] {
    return { expiresMs, leftMs: expiresMs - this.#clock.nowMs(), lifeMs: expiresMs - fromMs }
  }
}

/** With its port if that is not the usual one, and nothing else of the address: the rest may be secret. */
function hostOf(address: string): string[] {
  const { protocol, host } = new URL(address)
  return protocol === 'https:' || protocol === 'wss:' ? [host] : []
}

type Around = { clock: Clock; gone: AbortSignal }

async function servedBy(host: string, { clock, gone }: Around): Promise<Validity | undefined> {
  const { hostname, port } = new URL(`https://${host}`)
  const name = hostname.replace(/^\[|\]$/g, '')
  const wait = new Deferred<Validity | undefined>()
  const nothing = () => wait.resolve(undefined)
  const servername = isIP(name) === 0 ? { servername: name } : {}
  const socket = connect({ host: name, port: Number(port || 443), ...servername, rejectUnauthorized: false })
  socket.on('error', nothing)
  socket.on('close', nothing)
  socket.on('secureConnect', () => wait.resolve(validityOf(socket)))
  wait.after(clock, ownerNoticeLimits.handshakeWithinMs, nothing)
  wait.onAbort(gone, nothing)
  wait.onSettled(() => socket.destroy())
  return await wait.promise
}

/** Undefined for one that is not trusted: a stranger that answers for the address must not write to the owners. */
function validityOf(socket: TLSSocket): Validity | undefined {
  if (!socket.authorized && String(socket.authorizationError) !== 'CERT_HAS_EXPIRED') return undefined
  const certificate = socket.getPeerX509Certificate()
  if (!certificate) return undefined
  const validity = { fromMs: certificate.validFromDate.getTime(), expiresMs: certificate.validToDate.getTime() }
  return Number.isFinite(validity.expiresMs - validity.fromMs) ? validity : undefined
}
