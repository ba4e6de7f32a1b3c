// An object store behind TLS with a certificate of a private authority, and a bucket named before the host.
import { execFileSync } from 'node:child_process'
import dns from 'node:dns'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { blobPlaceIn } from '../src/blobs/blob-place.ts'
import { blobsAt, testS3 } from './blob-places.ts'
import { temporaryDirectory } from './relay-fixture.ts'

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

const MIB = 1024 * 1024

/** A self-signed certificate is its own authority. */
function newCertificate(): { path: string; cert: string; key: string } {
  const directory = temporaryDirectory()
  const [path, keyPath] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  const words = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost'.split(' ')
  const names = ['-addext', 'subjectAltName=DNS:localhost,DNS:blobs.localhost']
  execFileSync('openssl', ['req', ...words, ...names, '-keyout', keyPath, '-out', path], { stdio: 'ignore' })
  return { path, cert: readFileSync(path, 'utf8'), key: readFileSync(keyPath, 'utf8') }
}

/** Not every resolver knows that names below `localhost` are this machine. */
function resolveBelowLocalhost(): void {
  const lookup = dns.lookup.bind(dns) as unknown as (name: string, ...rest: unknown[]) => void
  const spy = vi.spyOn(dns, 'lookup')
  spy.mockImplementation((name: string, ...rest: unknown[]) =>
    lookup(name.endsWith('.localhost') ? 'localhost' : name, ...rest),
  )
  onTestFinished(() => spy.mockRestore())
}

test.for(['path', 'host'] as const)('[RELAY-8.13] blobs of each size, with style=%s', async style => {
  resolveBelowLocalhost()
  const { path, cert, key } = newCertificate()
  const server = await testS3({ tls: { cert, key } })
  const environment = { ...server.environment, AWS_CA_BUNDLE: path }
  const { blobs, begin, finish } = await blobsAt(blobPlaceIn(server.address('of/alice', style), environment))
  for (const size of [1000, 9 * MIB]) {
    const data = Buffer.alloc(size, style)
    const blob = await begin(size)
    const at = { offset: 0, lengthMax: size, isLast: true, room: { spend: () => undefined } }
    expect(await blobs.append(blob, once(data), at)).toEqual({ kind: 'complete', length: size })
    await finish(blob, size)
    const read: Uint8Array[] = []
    for await (const piece of (await blobs.read(blob, { start: 0, end: size - 1 })) ?? []) read.push(piece)
    expect(Buffer.concat(read).equals(data)).toBe(true)
    await blobs.delete(blob)
  }
  expect(server.store.objects.size).toBe(0)
})

test('[RELAY-8.13] a certificate of an unknown authority is refused, and so is a bundle that is not there', async () => {
  const { cert, key } = newCertificate()
  const server = await testS3({ tls: { cert, key } })
  const openWith = async (env: Record<string, string>): Promise<string> =>
    await blobsAt(blobPlaceIn(server.address(), { ...server.environment, ...env })).then(
      () => 'opened',
      (error: unknown) => (error as Error).message,
    )
  expect(await openWith({})).toMatch(/^--blobs: .*(SELF_SIGNED|UNABLE_TO_VERIFY)/)
  expect(await openWith({ AWS_CA_BUNDLE: newCertificate().path })).toMatch(/^--blobs: .*(SELF_SIGNED|UNABLE_TO_VERIFY)/)
  expect(await openWith({ AWS_CA_BUNDLE: '/there/is/none.pem' })).toMatch(/^AWS_CA_BUNDLE: .*ENOENT/)
})
