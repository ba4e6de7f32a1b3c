// A disk as a part has changed it: the safe data, and the data that a power cut may remove in whole or in parts.
import type { DiskChange } from './read-disk-log.ts'
import { type Change, StoredFile } from './stored-file.ts'

type Entry = StoredFile | Folder

/** The names in a folder, as the part sees them. Safe names are kept separately. */
export class Folder {
  readonly now = new Map<string, Entry>()
}

/** A change of names: safe once every folder concerned was synced. */
type Naming = { folder: Folder; name: string; entry: Entry | undefined }[]

export class Disk {
  readonly #root: string
  readonly root = new Folder()
  readonly #open = new Map<number, Entry>()
  /** In order: those before a cut hold, as a file system with a journal keeps them. */
  readonly #namings: { changes: Naming; unsynced: Set<Folder> }[] = []

  constructor(root: string) {
    this.#root = root
  }

  /** Data from before the part was started: all of it is safe. */
  place(path: string, bytes: Uint8Array | undefined): void {
    const { folder, name } = this.#placeOf(path)
    const entry = bytes === undefined ? new Folder() : new StoredFile(bytes)
    this.#name([{ folder, name, entry }])
    this.#sync(folder)
  }

  apply(change: DiskChange): void {
    switch (change.kind) {
      case 'open':
        return this.#opened(change)
      case 'close':
        return void this.#open.delete(change.fd)
      case 'write':
        return this.#change(change.fd, { kind: 'write', at: change.at, bytes: change.bytes })
      case 'truncate':
        return this.#change(change.fd, { kind: 'truncate', length: change.length })
      case 'sync':
        return this.#sync(this.#opener(change.fd))
      case 'mkdir':
        if (change.path !== this.#root) this.#name([{ ...this.#placeOf(change.path), entry: new Folder() }])
        return
      case 'unlink':
      case 'rmdir':
        return this.#name([{ ...this.#placeOf(change.path), entry: undefined }])
      case 'link':
        return this.#name([{ ...this.#placeOf(change.to), entry: this.#find(change.path) }])
      case 'rename':
        return this.#name([
          { ...this.#placeOf(change.to), entry: this.#find(change.path) },
          { ...this.#placeOf(change.path), entry: undefined },
        ])
    }
  }

  /** The folders when only the first `count` of the unsafe name changes hold. */
  namesAfter(count: number): Map<Folder, Map<string, Entry>> {
    const folders = new Map<Folder, Map<string, Entry>>()
    let pending = 0
    for (const { changes, unsynced } of this.#namings) {
      if (unsynced.size > 0 && pending++ >= count) continue
      for (const { folder, name, entry } of changes) {
        const names = folders.get(folder) ?? new Map<string, Entry>()
        folders.set(folder, names)
        if (entry) names.set(name, entry)
        else names.delete(name)
      }
    }
    return folders
  }

  get unsafeNames(): number {
    return this.#namings.filter(({ unsynced }) => unsynced.size > 0).length
  }

  #opened({ fd, path, creates }: Extract<DiskChange, { kind: 'open' }>): void {
    const found = path === this.#root ? this.root : this.#find(path, { creates })
    this.#open.set(fd, found)
  }

  #opener(fd: number): Entry {
    const entry = this.#open.get(fd)
    if (!entry) throw new Error(`nobody has opened the descriptor ${fd}`)
    return entry
  }

  #change(fd: number, change: Change): void {
    const file = this.#opener(fd)
    if (file instanceof Folder) throw new Error('a folder was written to')
    file.change(change)
  }

  #sync(entry: Entry): void {
    if (entry instanceof StoredFile) return entry.settle()
    for (const { unsynced } of this.#namings) unsynced.delete(entry)
  }

  #name(changes: Naming): void {
    for (const { folder, name, entry } of changes)
      if (entry) folder.now.set(name, entry)
      else folder.now.delete(name)
    this.#namings.push({ changes, unsynced: new Set(changes.map(({ folder }) => folder)) })
  }

  #find(path: string, { creates = false } = {}): Entry {
    const { folder, name } = this.#placeOf(path)
    const found = folder.now.get(name)
    if (found) return found
    if (!creates) throw new Error(`${path} is not on the disk`)
    const file = new StoredFile(new Uint8Array())
    this.#name([{ folder, name, entry: file }])
    return file
  }

  #placeOf(path: string): { folder: Folder; name: string } {
    const parts = path.slice(this.#root.length).split('/').filter(Boolean)
    const name = parts.pop()
    if (name === undefined) throw new Error(`${path} is the directory itself`)
    let folder = this.root
    for (const part of parts) {
      const next = folder.now.get(part)
      if (!(next instanceof Folder)) throw new Error(`${path} leads through ${part}, which is no folder`)
      folder = next
    }
    return { folder, name }
  }
}
