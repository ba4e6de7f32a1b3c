// The disk of one part: a separate small one if it can be mounted, otherwise a limit on the size of its files. Both can
// run full.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** `tmpfs`: ENOSPC, as on a full disk. `file-size`: EFBIG for files that would grow, by prlimit. */
export type DiskKind = 'tmpfs' | 'file-size'

const ROOMY_BYTES = 512 * 2 ** 20
const BLOCK_BYTES = 4096
const FILL_TRIES = 30

export class Disk {
  readonly directory: string
  readonly kind: DiskKind
  readonly #roomyBytes: number
  #pid: () => number | undefined = () => undefined

  private constructor(directory: string, kind: DiskKind, roomyBytes: number) {
    this.directory = directory
    this.kind = kind
    this.#roomyBytes = roomyBytes
  }

  static at(directory: string, roomyBytes = ROOMY_BYTES): Disk {
    mkdirSync(directory, { recursive: true })
    const isMounted = run('mount', ['-t', 'tmpfs', '-o', `size=${roomyBytes},mode=700`, 'tmpfs', directory])
    return new Disk(directory, isMounted ? 'tmpfs' : 'file-size', roomyBytes)
  }

  /** The process whose files are limited if no disk can be mounted. */
  usedBy(pid: () => number | undefined): void {
    this.#pid = pid
  }

  /** From now on there is no more space than this. */
  fill(leftBytes: number): void {
    if (this.kind === 'file-size') return this.#limitFiles(String(largestIn(this.directory) + leftBytes))
    // Concurrent writes may need more than was counted: it is counted again, with a little more space each time.
    for (let tries = 0; tries < FILL_TRIES; tries++)
      if (this.#resize(this.#usedBytes() + leftBytes + tries * tries * BLOCK_BYTES)) return
    throw new Error(`${this.directory} could not be filled: more and more is written`)
  }

  free(): void {
    if (this.kind === 'file-size') return this.#limitFiles('unlimited')
    if (!this.#resize(this.#roomyBytes)) throw new Error(`${this.directory} could not be given its room back`)
  }

  /** Its content is in its directory afterwards, if requested. */
  remove({ keep }: { keep: boolean }): void {
    if (this.kind !== 'tmpfs') return
    const kept = `${this.directory}.kept`
    if (keep) cpSync(this.directory, kept, { recursive: true })
    run('umount', ['--lazy', this.directory])
    if (!keep) return
    rmSync(this.directory, { recursive: true })
    renameSync(kept, this.directory)
  }

  #usedBytes(): number {
    const { blocks, bfree, bsize } = statfsSync(this.directory)
    return (blocks - bfree) * bsize
  }

  #resize(bytes: number): boolean {
    const size = Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES
    return run('mount', ['-o', `remount,size=${size}`, this.directory])
  }

  #limitFiles(bytes: string): void {
    const pid = this.#pid()
    if (pid !== undefined) run('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
  }
}

const run = (command: string, args: string[]): boolean => spawnSync(command, args, { stdio: 'ignore' }).status === 0

const largestIn = (directory: string): number =>
  Math.max(
    0,
    ...readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
  )
