// A certificate authority of the test, and the certificates for `localhost` that it signs. Needs openssl.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const NEW_KEY = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'.split(' ')
const openssl = (...words: string[]): void => void execFileSync('openssl', words, { stdio: 'ignore' })

export type TestCertificate = { cert: Buffer; key: Buffer }

export class TestAuthority {
  readonly #directory: string
  /** The path of its own certificate. */
  readonly path: string
  #issued = 0

  constructor(directory: string) {
    mkdirSync(directory)
    this.#directory = directory
    this.path = join(directory, 'ca.pem')
    const names = ['-subj', '/CN=Authority of a test', '-keyout', join(directory, 'ca.key'), '-out', this.path]
    openssl('req', '-x509', ...NEW_KEY, '-days', '400', ...names)
  }

  get certificate(): string {
    return readFileSync(this.path, 'utf8')
  }

  /** `days`: how long it is valid; a negative number for one that has expired. */
  issue({ days, name = 'localhost' }: { days: number; name?: string }): TestCertificate {
    const at = (end: string): string => join(this.#directory, `${this.#issued}-${end}.pem`)
    this.#issued += 1
    const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
    openssl('req', ...NEW_KEY, ...subject, '-keyout', at('key'), '-out', at('request'))
    const signing = ['-CA', this.path, '-CAkey', join(this.#directory, 'ca.key'), '-CAcreateserial']
    const times = ['-days', String(days), '-copy_extensions', 'copy']
    openssl('x509', '-req', '-in', at('request'), ...signing, ...times, '-out', at('certificate'))
    return { cert: readFileSync(at('certificate')), key: readFileSync(at('key')) }
  }
}
