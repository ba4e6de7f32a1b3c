// Distinguishes a damaged database from a failing disk: SQLite, including its checks, reports a failed read as damage.
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { databaseLimits } from './limits.ts'
import { systemCodeOf, systemFault } from './system-faults.ts'

/** A separate connection that nobody else uses; `check` returns `ok`, or the first problem. */
export type CheckedConnection = { check(): string; close(): void }

/** A disk that fails now and then passes as damage by chance, in one check of 7,000 at most. */
const ROUNDS = 6

/** A read that failed looks the same to SQLite. */
export const looksDamaged = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(systemCodeOf(error))

/**
 * Describes the damage of the database at the path, or returns undefined. Damage is certain only if every byte of the
 * files can be read and several fresh connections find the same fault: a failing disk shows another fault each time.
 * Throws errors of the disk.
 */
export function findDamage(path: string, open: () => CheckedConnection): string | undefined {
  const found = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    readWhole(path)
    const fault = checkOnce(open)
    if (fault === 'ok') return undefined
    found.add(fault)
  }
  readWhole(path)
  return found.size === 1 ? [...found][0] : undefined
}

/** A large one takes too long for a process that serves others: the doctor checks it. */
export const isCheckedQuickly = (path: string): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= databaseLimits.checkedBytesMax

/** Opens the database or throws the reason: damage only when it is certain, otherwise the error of the disk. */
export function openConvinced<Connection>(
  path: string,
  { open, check }: { open: () => Connection; check: () => CheckedConnection },
): Connection {
  try {
    return open()
  } catch (error) {
    if (!looksDamaged(error) || findDamage(path, check) !== undefined) throw error
    try {
      return open()
    } catch (again) {
      // The check found the database whole, so this is a failed read.
      throw looksDamaged(again) ? systemFault(again) : again
    }
  }
}

function checkOnce(open: () => CheckedConnection): string {
  try {
    const connection = open()
    try {
      return connection.check()
    } finally {
      connection.close()
    }
  } catch (error) {
    if (!looksDamaged(error)) throw error
    return systemCodeOf(error)
  }
}

/** Throws errors of the disk. */
function readWhole(path: string): void {
  const into = Buffer.allocUnsafe(databaseLimits.readPieceBytes)
  for (const file of [path, `${path}-wal`]) {
    if (!statSync(file, { throwIfNoEntry: false })) continue
    const descriptor = openSync(file, 'r')
    try {
      for (let at = 0, read = 1; read > 0; at += read) read = readSync(descriptor, into, 0, into.length, at)
    } finally {
      closeSync(descriptor)
    }
  }
}
