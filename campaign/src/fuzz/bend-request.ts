// Mutates a valid request in up to three places, and makes its bytes.
import type { SeededRandom } from '@postern/testkit'
import { bentForm, formBytes } from './bend-form.ts'
import { bentJson, bentJsonText } from './bend-json.ts'
import type { Known } from './known.ts'
import { nastyJson, nastyText, nastyTexts } from './nasty-values.ts'
import type { Right } from './request-shape.ts'
import { rightRequest } from './right-requests.ts'
import { telegramRequest } from './right-telegram.ts'

/** `name`: the endpoint that it still addresses; undefined when its method or path was mutated. */
export type FuzzRequest = { name: Right['name'] | undefined; chat: string | undefined; isHead: boolean; bytes: Buffer }

const BENDS_MAX = 3
const TELEGRAM_SHARE = 0.3
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH']
const types = [
  'application/json',
  'application/json; charset=utf-16',
  'APPLICATION/JSON',
  'application/json;',
  'application/problem+json',
  'text/plain',
  'text/plain; charset=shift_jis',
  'text/plain; charset=nothing',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  `multipart/form-data; boundary=${'x'.repeat(300)}`,
  'image/png',
  'x',
  ';;;',
]
const headerNames = [
  'Idempotency-Key',
  'Range',
  'If-Range',
  'If-None-Match',
  'If-Match',
  'Accept',
  'Accept-Encoding',
  'Content-Encoding',
  'Cookie',
  'Origin',
  'Upgrade-Insecure-Requests',
  'X-Forwarded-For',
  'X-HTTP-Method-Override',
  'X-Vcs-Token',
  'Authorization',
  '__proto__',
]
const tokens = ['', 'Bearer', 'Bearer wrong', 'Basic dTpw', 'bearer  ', 'Bearer \u00ff']

export function fuzzRequest(known: Known, random: SeededRandom): FuzzRequest {
  const isTelegram = random.next() < TELEGRAM_SHARE
  const right = isTelegram ? telegramRequest(known, random) : rightRequest(known, random)
  const bent = new BentRequest(right, random)
  // Some stay valid: a request after a mutated one on the same connection must not suffer from it.
  for (let bends = random.below(BENDS_MAX + 1); bends > 0; bends--) bent.bend()
  return bent.finish()
}

class BentRequest {
  readonly #right: Right
  readonly #random: SeededRandom
  #isElsewhere = false
  #bodyText: Uint8Array | undefined

  constructor(right: Right, random: SeededRandom) {
    this.#right = { ...right, params: { ...right.params }, query: [...right.query], headers: [...right.headers] }
    this.#random = random
  }

  bend(): void {
    const kind = this.#random.below(20)
    if (kind < 8) this.#bendBody()
    else if (kind < 11) this.#bendQuery()
    else if (kind < 13) this.#bendParam()
    else if (kind < 18) this.#bendHeader()
    else if (kind < 19) this.#bendPath()
    else this.#bendMethod()
  }

  finish(): FuzzRequest {
    const { name, method, params } = this.#right
    const body = this.#body()
    const type: [string, string][] = body.type === undefined ? [] : [['Content-Type', body.type]]
    const given = this.#right.headers
    const headers = [...(given.some(([header]) => header === 'Content-Type') ? [] : type), ...given]
    const head = [
      `${method} ${this.#url()} HTTP/1.1`,
      'Host: 127.0.0.1',
      ...headers.map(([header, value]) => `${header}: ${value}`),
      ...(body.bytes.length > 0 || method !== 'GET' ? [`Content-Length: ${body.bytes.length}`] : []),
    ]
    return {
      name: this.#isElsewhere ? undefined : name,
      chat: params['chat'],
      isHead: method === 'HEAD',
      bytes: Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body.bytes]),
    }
  }

  #body(): { bytes: Uint8Array; type?: string } {
    const { body } = this.#right
    if (this.#bodyText) return { bytes: this.#bodyText, type: 'application/json' }
    switch (body.kind) {
      case 'none':
        return { bytes: new Uint8Array() }
      case 'json':
        return { bytes: Buffer.from(JSON.stringify(body.value)), type: 'application/json' }
      case 'form':
        return formBytes(body.form)
      case 'bytes':
        return body
    }
  }

  #url(): string {
    const { path, params, query } = this.#right
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
    return filled + (query.length > 0 ? `?${query.map(([name, value]) => `${name}=${value}`).join('&')}` : '')
  }

  #bendBody(): void {
    const random = this.#random
    const { body } = this.#right
    switch (body.kind) {
      case 'none':
        if (random.below(4) === 0) this.#right.body = { kind: 'json', value: nastyJson(random) }
        return
      case 'json':
        if (random.below(4) === 0) this.#bodyText = bentJsonText(body.value, random)
        else this.#right.body = { kind: 'json', value: bentJson(body.value, random) }
        return
      case 'form':
        this.#right.body = bentForm(body.form, random)
        return
      case 'bytes': {
        const bytes = Buffer.from(body.bytes)
        for (let flips = random.below(8); flips >= 0; flips--) bytes[random.below(bytes.length)] = random.below(256)
        this.#right.body = {
          ...body,
          bytes: random.below(3) === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes,
        }
      }
    }
  }

  #bendQuery(): void {
    const { query } = this.#right
    const names = [...query.map(([name]) => name), 'limit', 'offset', 'for', 'chat', '__proto__', 'x']
    const bent: [string, string] = [this.#random.of(names), inUrl(nastyText(this.#random), this.#random)]
    // Replaces it, or is added next to it: then it occurs twice.
    if (this.#random.below(2) === 0) this.#right.query = query.map(pair => (pair[0] === bent[0] ? bent : pair))
    else query.push(bent)
  }

  #bendParam(): void {
    const names = Object.keys(this.#right.params)
    if (names.length === 0) return this.#bendQuery()
    const name = this.#random.of(names)
    // A wrong secret is answered late, and many of them get an error that says to retry.
    if (name === 'secret' && this.#random.below(50) > 0) return
    const text = this.#random.below(4) === 0 ? this.#right.params[name]?.slice(1) : nastyText(this.#random)
    this.#right.params[name] = inUrl(text ?? '', this.#random)
    this.#isElsewhere = true
  }

  #bendHeader(): void {
    const random = this.#random
    const { headers } = this.#right
    switch (random.below(5)) {
      case 0:
        this.#right.headers = headers.filter(([name]) => name !== 'Authorization')
        return
      case 1:
        this.#right.headers = headers.map(([name, value]) => [
          name,
          name === 'Authorization' ? random.of(tokens) : value,
        ])
        return
      case 2:
        headers.push(['Content-Type', random.of(types)])
        return
      case 3:
        headers.push(['Expect', random.of(['100-continue', 'x'])])
        return
      default:
        headers.push([random.of(headerNames), inHeader(nastyText(random))])
    }
  }

  #bendPath(): void {
    this.#isElsewhere = true
    const { path } = this.#right
    const behind = inUrl(random1(this.#random), this.#random)
    this.#right.path = this.#random.of([
      `${path}/`,
      `/${path}`,
      path.toUpperCase(),
      `${path}/${behind}`,
      `/${behind}`,
      `${path}%`,
    ])
  }

  #bendMethod(): void {
    this.#isElsewhere = true
    this.#right.method = this.#random.of(methods)
  }
}

const random1 = (random: SeededRandom): string => random.of(nastyTexts)

/** Escaped correctly, or raw as far as a request line can hold it. */
function inUrl(text: string, random: SeededRandom): string {
  if (random.below(3) > 0) return encodeURIComponent(text.toWellFormed())
  return Buffer.from(text.replaceAll(/[\s\p{Cc}#?]/gu, ''))
    .toString('latin1')
    .replaceAll(/[\s\p{Cc}]/gu, '')
}

/** As far as a header can hold it. */
const inHeader = (text: string): string =>
  Buffer.from(text.replaceAll(/[\r\n\0]/g, ' '))
    .toString('latin1')
    .slice(0, 4000)
    .replaceAll(/[\p{Cc}]/gu, '')
