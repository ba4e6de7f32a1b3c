// Keys for an object store that change while the relay runs: from a file, a role, a container or a token.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MINUTE_MS } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import type { S3Server } from '@postern/testkit/s3'
import { describe, expect, test } from 'vitest'
import { blobPlaceIn } from '../src/blobs/blob-place.ts'
import type { BlobStore } from '../src/blobs/blob-store.ts'
import { blobsAt, type StoredBlobs, testS3 } from './blob-places.ts'
import { codeOf } from './contract/world.ts'
import { temporaryDirectory } from './relay-fixture.ts'
import { type RoleServer, startRoles } from './role-server.ts'

const HOUR_MS = 60 * MINUTE_MS
const KINDS = ['file', 'web-identity', 'container', 'instance'] as const
type Kind = (typeof KINDS)[number]

type Renewing = { clock: ManualClock; server: S3Server; roles: RoleServer; file: string; kept: StoredBlobs }

async function opened(kind: Kind): Promise<Renewing> {
  const clock = new ManualClock(Date.now())
  const server = await testS3({ nowMs: () => clock.nowMs(), sessionToken: 'first-token' })
  const roles = await startRoles(server.account, clock.nowMs() + HOUR_MS)
  const directory = temporaryDirectory()
  const [file, token] = [join(directory, 'credentials'), join(directory, 'token')]
  writeFileSync(token, `${roles.token}\n`)
  writeKeys(file, server)
  const named: Record<Kind, Record<string, string>> = {
    file: { AWS_SHARED_CREDENTIALS_FILE: file, AWS_PROFILE: 'relay' },
    'web-identity': {
      AWS_WEB_IDENTITY_TOKEN_FILE: token,
      AWS_ROLE_ARN: 'arn:aws:iam::1:role/relay',
      AWS_ENDPOINT_URL_STS: roles.url,
    },
    container: {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${roles.url}/of/the/pod`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: token,
    },
    instance: { AWS_EC2_METADATA_SERVICE_ENDPOINT: roles.url },
  }
  const place = blobPlaceIn(server.address(), { HOME: directory, ...named[kind] })
  return { clock, server, roles, file, kept: await blobsAt(place, {}, clock) }
}

function writeKeys(file: string, { account }: S3Server): void {
  const lines = [
    '[default]',
    'aws_access_key_id = of-nobody',
    '[relay]',
    `aws_access_key_id = ${account.accessKeyId}`,
    `aws_secret_access_key=${account.secretAccessKey}`,
    `aws_session_token = ${account.sessionToken}`,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
}

/** From now on the store accepts only other keys. */
function changeKeys({ server, file }: Renewing): void {
  Object.assign(server.account, {
    accessKeyId: 'second-key',
    secretAccessKey: 'second+secret',
    sessionToken: 'second-token',
  })
  writeKeys(file, server)
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

const room = { spend: () => undefined }

async function store({ kept }: Renewing, blobs: BlobStore = kept.blobs): Promise<unknown> {
  const blob = await kept.begin(10)
  return await blobs.append(blob, once(Buffer.alloc(10, 1)), { offset: 0, lengthMax: 10, isLast: true, room })
}

const complete = { kind: 'complete', length: 10 }

describe('[RELAY-8.12] keys', () => {
  test.for(KINDS)('from %s are renewed before they expire, without a restart', async kind => {
    const renewing = await opened(kind)
    const { clock, roles } = renewing
    expect(await store(renewing)).toEqual(complete)
    changeKeys(renewing)
    roles.expiresMs = clock.nowMs() + 2 * HOUR_MS
    clock.advance(HOUR_MS - 4 * MINUTE_MS)
    const before = roles.count
    const many = await Promise.all(Array.from({ length: 5 }, () => store(renewing)))
    expect(many).toEqual(Array.from({ length: 5 }, () => complete))
    // All of these asked at the same time, and the source was asked once.
    expect(roles.count - before).toBe(kind === 'file' ? 0 : 1)
  })

  test.for(KINDS)('from %s that the store refuses early are fetched again', async kind => {
    const renewing = await opened(kind)
    expect(await store(renewing)).toEqual(complete)
    changeKeys(renewing)
    expect(await store(renewing)).toEqual(complete)
  })

  test('that cannot be renewed count until they expire', async () => {
    const renewing = await opened('instance')
    const { clock, roles } = renewing
    expect(await store(renewing)).toEqual(complete)
    roles.isBroken = true
    clock.advance(HOUR_MS - MINUTE_MS)
    expect(await store(renewing)).toEqual(complete)
    clock.advance(MINUTE_MS)
    expect(await codeOf(store(renewing))).toBe('unavailable')
    roles.isBroken = false
    roles.expiresMs = clock.nowMs() + HOUR_MS
    expect(await store(renewing)).toEqual(complete)
  })

  test('that are nowhere are one line that names the option', async () => {
    const server = await testS3()
    const roles = await startRoles(server.account, 0)
    roles.isBroken = true
    const openAt = async (env: Record<string, string>): Promise<string> =>
      await blobsAt(blobPlaceIn(server.address(), { HOME: temporaryDirectory(), ...env })).then(
        () => 'opened',
        (error: unknown) => (error as Error).message,
      )
    const machine = await openAt({ AWS_EC2_METADATA_SERVICE_ENDPOINT: roles.url })
    expect(machine).toMatch(/^--blobs: .*set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine a role/)
    const stranger = await openAt({ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://keys.example/of/the/pod' })
    expect(stranger).toMatch(/^--blobs: .*must be https, or an address of this machine/)
    const file = join(temporaryDirectory(), 'credentials')
    expect(await openAt({ AWS_SHARED_CREDENTIALS_FILE: file })).toMatch(/^--blobs: .*ENOENT/)
  })
})
