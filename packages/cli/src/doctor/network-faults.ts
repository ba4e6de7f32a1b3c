// Why nobody answered, in words for the person who fixes it.

const reasons: readonly (readonly [RegExp, string])[] = [
  [/^(ENOTFOUND|EAI_\w+)$/, 'its name does not resolve'],
  [/^ECONNREFUSED$/, 'nothing listens there'],
  [/^(ECONNRESET|EPIPE)$/, 'it closed the connection'],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'it cannot be reached from here'],
  [/^HPE_/, 'its answer is not HTTP'],
  [/^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/, 'its certificate is not accepted'],
  [/^(ERR_SSL_|EPROTO)/, 'it does not speak TLS'],
]

/** `code`: Node's name of the error. */
export function networkFault(code: string | undefined): string {
  const known = reasons.find(([pattern]) => pattern.test(code ?? ''))
  return known ? `${known[1]} (${code})` : (code ?? 'it gave no reason')
}
