// Why nobody answered, in words for the person who fixes it.

/** `todo`: advice, if the reason alone says what is wrong. */
export type NetworkFault = { why: string; todo?: string }

type NetworkReason = readonly [code: RegExp, why: string, todo?: string]

const trust =
  'use a certificate of a public authority. For an authority of your own, set NODE_EXTRA_CA_CERTS to its PEM file and restart; a proxy must also send its intermediate certificates'

const reasons: readonly NetworkReason[] = [
  [/^(ENOTFOUND|EAI_\w+)$/, 'its name does not resolve'],
  [/^ECONNREFUSED$/, 'nothing listens there'],
  [/^(ECONNRESET|EPIPE)$/, 'it closed the connection'],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'it cannot be reached from here'],
  [/^HPE_/, 'its answer is not HTTP'],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired', 'renew its certificate, and reload the server that uses it'],
  [/^CERT_NOT_YET_VALID$/, 'its certificate is not valid yet', 'set the clock of this machine, or wait'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another name', 'use a name that the certificate has'],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_UNTRUSTED)/,
    'its certificate is from an authority that this machine does not trust',
    trust,
  ],
  [/^(CERT_|ERR_TLS_CERT)/, 'its certificate is not accepted', 'replace its certificate'],
  [/^(ERR_SSL_|EPROTO)/, 'it does not speak TLS'],
]

/** `code`: Node's name of the error. */
export function networkFault(code: string | undefined): NetworkFault {
  const [, why, todo] = reasons.find(([pattern]) => pattern.test(code ?? '')) ?? []
  if (why === undefined) return { why: code ?? 'it gave no reason' }
  return { why: `${why} (${code})`, ...(todo !== undefined && { todo }) }
}
