// The contract of every FileVault: what it keeps, for how long, and how removed files can still be read.
import { type BlobId, blobIdFromBytes } from '@postern/protocol'
import { describe, expect, it } from 'vitest'
import type { FileVault, VaultFile, VaultName } from '../../src/files/vault/file-vault.ts'

export type VaultPlace = {
  /** The vault of the case; opened again, it is as after a restart. */
  open(options: { bytesMax: number; freeBytes?: () => Promise<number> }): Promise<FileVault>
  /** Lets time pass between two uses. */
  tick(): void
  /** The number of files, including parts. */
  fileCount(): Promise<number>
}

const random = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count))
const newName = (): VaultName => ({ blob: blobIdFromBytes(random(16)), digest: random(32) })

export function describeFileVault(title: string, place: () => VaultPlace): void {
  const inPlace = async (bytesMax = 1000, freeBytes?: () => Promise<number>) => {
    const here = place()
    const vault = await here.open({ bytesMax, ...(freeBytes && { freeBytes }) })
    return { ...here, vault, put: (bytes: Uint8Array) => put(here, vault, bytes) }
  }

  describe(`file vault ${title}`, () => {
    it('[CORE-24.1] reads what is being written, and afterwards under its name', async () => {
      const { vault, fileCount } = await inPlace()
      const part = await vault.createPart()
      await part.write(Uint8Array.of(1, 2, 3, 4), 0)
      await part.write(Uint8Array.of(9, 9, 5), 2)
      expect(await readAll(part)).toEqual(Uint8Array.of(1, 2, 9, 9, 5))
      const name = newName()
      expect([vault.lengthOf(name), vault.keptBytes]).toEqual([undefined, 0])
      await part.keep(name)
      expect([vault.lengthOf(name), vault.keptBytes]).toEqual([5, 5])
      expect(await readAll(part)).toEqual(Uint8Array.of(1, 2, 9, 9, 5))
      await part.release()
      await part.release()
      const file = await vault.open(name)
      const two = new Uint8Array(2)
      expect(await file?.read(two, 3)).toBe(2)
      expect(two).toEqual(Uint8Array.of(9, 5))
      expect(await file?.read(two, 4)).toBe(1)
      expect(await file?.read(two, 99)).toBe(0)
      await file?.close()
      expect(await fileCount()).toBe(1)
      await vault.remove(name.blob)
      expect([await fileCount(), vault.keptBytes]).toEqual([0, 0])
    })

    it('[CORE-24.1] leaves nothing of a part that is released, or whose worker has ended', async () => {
      const { vault, open, fileCount } = await inPlace()
      const part = await vault.createPart()
      await part.write(random(10), 0)
      expect(await fileCount()).toBe(1)
      await part.release()
      expect(await fileCount()).toBe(0)
      const left = await vault.createPart()
      await left.write(random(10), 0)
      await left.release()
      await open({ bytesMax: 1000 })
      expect(await fileCount()).toBe(0)
    })

    it('[CORE-24.1] gives nothing under a name of another digest, and refuses one that is no name', async () => {
      const { vault, put: keep } = await inPlace()
      const name = await keep(random(10))
      expect(await vault.open({ ...name, digest: random(32) })).toBeUndefined()
      expect(vault.lengthOf({ ...name, digest: random(32) })).toBeUndefined()
      const part = await vault.createPart()
      await expect(part.keep({ blob: '../elsewhere' as BlobId, digest: random(32) })).rejects.toMatchObject({
        code: 'file-damaged',
      })
      await part.release()
    })

    it('[CORE-24.1] the least recently used makes room, also over a restart', async () => {
      const here = await inPlace()
      const { vault } = here
      const [a, b, c] = [await here.put(random(400)), await here.put(random(400)), await here.put(random(200))]
      expect(kept(vault, [a, b, c])).toEqual([true, true, true])
      await use(here, vault, a)
      const d = await here.put(random(100))
      expect(kept(vault, [a, b, c, d])).toEqual([true, false, true, true])
      await use(here, vault, c)
      await use(here, vault, d)
      const again = await here.open({ bytesMax: 1000 })
      const e = await put(here, again, random(500))
      expect(kept(again, [a, b, c, d, e])).toEqual([false, false, true, true, true])
      const smaller = await here.open({ bytesMax: 550 })
      expect(kept(smaller, [c, d, e])).toEqual([false, false, true])
      expect(await here.fileCount()).toBe(1)
    })

    it('[CORE-24.1] what is being read stays, and what is removed meanwhile is read to its end', async () => {
      const here = await inPlace()
      const bytes = random(600)
      const a = await here.put(bytes)
      const reader = await here.vault.open(a)
      const b = await here.put(random(600))
      expect(kept(here.vault, [a, b])).toEqual([true, true])
      await here.vault.remove(a.blob)
      expect(kept(here.vault, [a, b])).toEqual([false, true])
      expect(await here.vault.open(a)).toBeUndefined()
      expect(await readAll(reader)).toEqual(bytes)
      await reader?.close()
      expect(await here.fileCount()).toBe(1)
    })

    it('[CORE-24.1] what is fetched anew while it is read leaves the reader its bytes', async () => {
      const here = await inPlace()
      const [before, after] = [random(100), random(100)]
      const name = await here.put(before)
      const reader = await here.vault.open(name)
      await here.vault.remove(name.blob)
      await keepAs(here.vault, { name, bytes: after })
      expect(await readAll(reader)).toEqual(before)
      await reader?.close()
      const anew = await here.vault.open(name)
      expect(await readAll(anew)).toEqual(after)
      await anew?.close()
      expect(await here.fileCount()).toBe(1)
      const again = await here.open({ bytesMax: 1000 })
      expect(again.lengthOf(name)).toBe(100)
    })

    it('[CORE-24.1] what is stowed outlives a restart and makes room for nobody, until it is removed', async () => {
      const here = await inPlace()
      const bytes = random(900)
      const part = await here.vault.createPart()
      await part.write(bytes, 0)
      const { blob: id } = newName()
      await part.stow(id)
      expect(await readAll(part)).toEqual(bytes)
      await part.release()
      const again = await here.open({ bytesMax: 100 })
      for (let count = 0; count < 3; count++) await put(here, again, random(90))
      expect(await again.stowed()).toEqual([id])
      const file = await again.openStowed(id)
      expect(await readAll(file)).toEqual(bytes)
      await file?.close()
      await again.removeStowed(id)
      await again.removeStowed(id)
      expect(await again.openStowed(id)).toBeUndefined()
      expect(await again.stowed()).toEqual([])
      expect(await here.fileCount()).toBe(1)
    })

    it('[CORE-24.1] a file larger than all room is there until the next one comes', async () => {
      const here = await inPlace(100)
      const a = await here.put(random(600))
      expect(kept(here.vault, [a])).toEqual([true])
      const b = await here.put(random(10))
      expect(kept(here.vault, [a, b])).toEqual([false, true])
    })

    it('[CORE-24.1] takes no more of the disk than it leaves free', async () => {
      let freeBytes = 1000
      const here = await inPlace(10_000, async () => freeBytes)
      const names = [await here.put(random(100)), await here.put(random(100)), await here.put(random(100))]
      expect(kept(here.vault, names)).toEqual([true, true, true])
      freeBytes = 0
      await here.vault.makeRoom()
      expect(kept(here.vault, names)).toEqual([false, false, true])
    })
  })
}

async function put(here: Pick<VaultPlace, 'tick'>, vault: FileVault, bytes: Uint8Array): Promise<VaultName> {
  here.tick()
  const name = newName()
  await keepAs(vault, { name, bytes })
  await use(here, vault, name)
  return name
}

async function keepAs(vault: FileVault, { name, bytes }: { name: VaultName; bytes: Uint8Array }): Promise<void> {
  const part = await vault.createPart()
  await part.write(bytes, 0)
  await part.keep(name)
  await part.release()
}

async function use(here: Pick<VaultPlace, 'tick'>, vault: FileVault, name: VaultName): Promise<void> {
  here.tick()
  await (await vault.open(name))?.close()
}

const kept = (vault: FileVault, names: VaultName[]): boolean[] => names.map(name => vault.lengthOf(name) !== undefined)

async function readAll(file: Pick<VaultFile, 'read'> | undefined): Promise<Uint8Array> {
  const into = new Uint8Array(2000)
  return into.slice(0, await file?.read(into, 0))
}
