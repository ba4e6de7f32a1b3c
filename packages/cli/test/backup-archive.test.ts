// Truncated, changed or forged backups: refused in one line, and without leftovers.

import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDataDirectory } from '@postern/core/node'
import { CodedError } from '@postern/protocol'
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { packTar, unpackTar } from 'modern-tar'
import { test as base, describe, expect, vi } from 'vitest'
import { runBackup } from '../src/backup/run-backup.ts'
import { runRestore } from '../src/backup/run-restore.ts'
import { UsageError } from '../src/usage-error.ts'

type Member = { name: string; data: Uint8Array }

async function membersOf(tar: Uint8Array): Promise<Member[]> {
  const entries = await unpackTar(tar, { strict: true })
  return entries.map(({ header, data }) => ({ name: header.name, data: data ?? new Uint8Array() }))
}

const tarOf = (members: readonly Member[], type: 'file' | 'symlink' = 'file') =>
  packTar(
    members.map(({ name, data }) => ({
      header: { name, size: type === 'file' ? data.length : 0, type, linkname: type === 'file' ? '' : '/etc/passwd' },
      ...(type === 'file' && { body: data }),
    })),
  )

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('folder', ({}, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-archive-'))
    const silent = [process.stdout, process.stderr].map(stream => vi.spyOn(stream, 'write').mockReturnValue(true))
    onCleanup(() => {
      for (const spy of silent) spy.mockRestore()
      rmSync(folder, { recursive: true, force: true })
    })
    return folder
  })
  .extend('data', ({ folder }) => {
    const data = join(folder, 'data')
    openDataDirectory(data).close()
    return data
  })
  .extend('tar', async ({ folder, data }) => {
    const to = join(folder, 'backup.tar')
    await runBackup(['--data', data, '--to', to, '--plain'], {})
    return readFileSync(to)
  })
  /** The refusal of a restore of these bytes, which must leave nothing behind. */
  .extend('refusalOf', ({ folder }) => async (bytes: Uint8Array, ...options: string[]): Promise<string> => {
    const file = join(folder, 'given')
    writeFileSync(file, bytes)
    const before = readdirSync(folder).toSorted()
    const tried = async (...more: string[]) => {
      try {
        await runRestore([file, ...more, ...options], {})
        return 'restored'
      } catch (error) {
        if (error instanceof CodedError || error instanceof UsageError) return error.message
        throw error
      }
    }
    const said = await tried('--data', join(folder, 'restored'))
    expect(await tried('--verify')).toBe(said === 'restored' ? 'restored' : said)
    if (said !== 'restored') expect(readdirSync(folder).toSorted()).toEqual(before)
    rmSync(join(folder, 'restored'), { recursive: true, force: true })
    return said
  })

describe('[CLI-5.6] a backup', () => {
  test('that is whole is restored', async ({ tar, refusalOf }) => {
    expect(await refusalOf(tar)).toBe('restored')
  })

  test('that is cut off anywhere is refused, also where a file of it ends', async ({ tar, refusalOf }) => {
    const ends = [
      0,
      1,
      511,
      512,
      700,
      1024,
      2048,
      tar.length - 1024,
      tar.length - 1025,
      tar.length - 1536,
      tar.length - 2048,
    ]
    for (const end of ends)
      expect(await refusalOf(tar.subarray(0, end)), `at ${end}`).toMatch(/^The backup cannot be used/)
    const members = await membersOf(tar)
    for (let count = 0; count < members.length; count++)
      expect(await refusalOf(await tarOf(members.slice(0, count))), `${count} files`).toMatch(
        /^The backup cannot be used/,
      )
  })

  test('in which a bit is turned is refused', async ({ tar, refusalOf }) => {
    const members = await membersOf(tar)
    for (const [at, { name, data }] of members.entries()) {
      const changed = data.slice()
      changed[data.length >> 1] = (changed[data.length >> 1] ?? 0) ^ 1
      const said = await refusalOf(await tarOf(members.with(at, { name, data: changed })))
      expect(`${name}: ${said}`).toMatch(/: The backup cannot be used/)
    }
  })

  test('with a path that leads out, a file that is not its own, a link, one twice, or something behind its end is refused', async ({
    tar,
    refusalOf,
  }) => {
    const members = await membersOf(tar)
    const data = Buffer.from('x')
    for (const name of ['../evil', '/tmp/evil', 'core.db-wal', 'files/evil', 'relay.db', 'core.db/../../evil'])
      expect(await refusalOf(await tarOf(members.toSpliced(1, 0, { name, data })))).toContain('does not belong in it')
    expect(await refusalOf(await tarOf(members.toSpliced(2, 0, ...members.slice(1, 2))))).toContain('twice')
    expect(await refusalOf(await tarOf([...members, { name: 'core.db', data }]))).toContain('after its end')
    expect(await refusalOf(await tarOf(members.slice(0, 1), 'symlink'))).toContain('not a regular file')
    expect(await refusalOf(Buffer.from('x'.repeat(5000)))).toMatch(/^The backup cannot be used/)
  })

  test('whose manifest and checksums somebody wrote anew is looked at all the same: its key, its tables, whose it is', async ({
    folder,
    tar,
    refusalOf,
  }) => {
    const members = await membersOf(tar)
    const manifest = JSON.parse(Buffer.from(members[0]?.data ?? []).toString())
    const forged = async (changes: { manifest?: object; files?: Record<string, Uint8Array> }) =>
      await refusalOf(await forgedTar(members, { ...changes, manifest: { ...manifest, ...changes.manifest } }))
    expect(await forged({})).toBe('restored')
    expect(await forged({ manifest: { identity: 'somebody else' } })).toContain('it does not match its manifest')
    expect(await forged({ manifest: { schema: 1 } })).toContain('it does not match its manifest')
    expect(await forged({ manifest: { format_version: 2 } })).toContain('newer version')
    expect(await forged({ manifest: { kind: 'printer' } })).toContain('not a backup of Postern')
    expect(await forged({ files: { 'db.key': new Uint8Array(32) } })).toContain(
      'the key in it does not belong to its database',
    )
    const newer = join(folder, 'newer')
    const database = openDataDirectory(newer)
    database.exec('PRAGMA user_version = 9999')
    database.close()
    const files = { 'db.key': readFileSync(join(newer, 'db.key')), 'core.db': readFileSync(join(newer, 'core.db')) }
    expect(await forged({ manifest: { schema: 9999 }, files })).toContain('newer version')
  })
})

test('[CLI-5.7] a restore fills an empty directory that is there, also with lost+found in it, and no other', async ({
  folder,
  tar,
}) => {
  const file = join(folder, 'given')
  writeFileSync(file, tar)
  const volume = join(folder, 'volume')
  mkdirSync(join(volume, 'lost+found'), { recursive: true })
  expect(await runRestore([file, '--data', volume], {})).toBe(0)
  expect(readdirSync(volume).toSorted()).toEqual(['core.db', 'db.key', 'lost+found'])
  const before = readFileSync(join(volume, 'core.db'))
  await expect(runRestore([file, '--data', volume], {})).rejects.toThrow('is not empty')
  expect(readFileSync(join(volume, 'core.db')).equals(before)).toBe(true)
  await expect(runRestore([file, '--data', join(file, 'below')], {})).rejects.toThrow(CodedError)
})

test('[CLI-5.4] it is sealed for several, opened by each of their keys and by no other, and damaged anywhere it is refused', async ({
  folder,
  data,
  refusalOf,
}) => {
  const identities = await Promise.all([generateIdentity(), generateIdentity(), generateIdentity()])
  const recipients = await Promise.all(identities.slice(0, 2).map(identity => identityToRecipient(identity)))
  const to = join(folder, 'backup.age')
  await runBackup(['--data', data, '--to', to, ...recipients.flatMap(recipient => ['--recipient', recipient])], {})
  const sealed = readFileSync(to)
  expect(sealed.includes(readFileSync(join(data, 'db.key')))).toBe(false)
  const files = identities.map((identity, at) => {
    const path = join(folder, `identity-${at}`)
    writeFileSync(path, `${identity}\n`)
    return path
  })
  const open = (at: number, bytes: Uint8Array = sealed) => refusalOf(bytes, '--identity', files[at] ?? '')
  expect([await open(0), await open(1)]).toEqual(['restored', 'restored'])
  expect(await open(2)).toContain('the key does not open it')
  expect(await refusalOf(sealed)).toContain('the backup is encrypted')
  for (const end of [10, 100, sealed.length >> 1, sealed.length - 1])
    expect(await open(0, sealed.subarray(0, end)), `at ${end}`).toMatch(/^The backup cannot be used/)
  const turned = Buffer.from(sealed)
  turned[sealed.length >> 1] = (turned[sealed.length >> 1] ?? 0) ^ 1
  expect(await open(0, turned)).toMatch(/^The backup cannot be used/)
  const other = new Decrypter()
  other.addIdentity(identities[0] ?? '')
  expect((await membersOf(await other.decrypt(sealed))).map(({ name }) => name)).toContain('core.db')
})

/** With valid checksums, as anybody can write them. */
async function forgedTar(
  members: readonly Member[],
  { manifest, files = {} }: { manifest: object; files?: Record<string, Uint8Array> },
): Promise<Uint8Array> {
  const changed = members
    .filter(({ name }) => name.includes('.') && name !== 'end.json')
    .map(({ name, data }) => {
      const own = name === 'manifest.json' ? Buffer.from(JSON.stringify(manifest)) : undefined
      return { name, data: own ?? files[name] ?? data }
    })
  const sums = changed.map(({ name, data }) => `${createHash('sha256').update(data).digest('hex')}  ${name}\n`)
  const bytes = changed.reduce((sum, { data }) => sum + data.length, 0)
  return await tarOf([
    ...changed,
    { name: 'SHA256SUMS-000001', data: Buffer.from(sums.join('')) },
    { name: 'end.json', data: Buffer.from(JSON.stringify({ files: changed.length, bytes })) },
  ])
}
