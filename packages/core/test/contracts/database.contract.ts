// The contract of every Database: the same SQL returns the same rows, and the same faults have the same names.
import { giveBackPages, makeShrinkable } from '@postern/protocol'
import { describe, expect, it } from 'vitest'
import { type Database, pagesOf } from '../../src/storage/database.ts'

/** Opens the database of the case: opened again after a close, it is the same. */
export type OpenDatabase = (key?: Uint8Array) => Promise<Database>

const TABLE = 'CREATE TABLE thing (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, held) STRICT'
const OTHER_KEY = new Uint8Array(32).fill(9)

const KEPT = ['row 0', 'row 40']

const bytesOf = (database: Database): number =>
  pagesOf(database).count('page_count') * pagesOf(database).count('page_size')

/** One row stays at the beginning of the file and one at its end. Returns the earlier length of the file. */
function fillAndEmpty(database: Database, add: (name: string, held: Uint8Array) => unknown): number {
  database.exec('BEGIN IMMEDIATE')
  for (let at = 0; at <= 40; at++) add(`row ${at}`, new Uint8Array(65_000).fill(at))
  database.exec('COMMIT')
  database.emptyLog()
  const full = bytesOf(database)
  database.run("DELETE FROM thing WHERE name NOT IN ('row 0', 'row 40')")
  return full
}

export function describeDatabase(title: string, place: () => OpenDatabase): void {
  const withTable = async () => {
    const open = place()
    const database = await open()
    database.exec(TABLE.replace('held', 'held ANY'))
    const add = (name: string, held: string | number | null | Uint8Array = null) =>
      database.run('INSERT INTO thing (name, held) VALUES (?, ?)', name, held)
    const names = () => database.all<{ name: string }>('SELECT name FROM thing ORDER BY id').map(row => row.name)
    return { open, database, add, names }
  }

  describe(`database ${title}`, () => {
    it('[CORE-24.1] gives every kind of value as it was put in', async () => {
      const { database, add } = await withTable()
      const values = [
        '',
        'Ünï 🙂\n',
        0,
        -1,
        1.5,
        Number.MAX_SAFE_INTEGER,
        null,
        new Uint8Array(0),
        Uint8Array.of(0, 255, 7),
      ]
      for (const [at, held] of values.entries()) add(`value ${at}`, held)
      const rows = database.all<{ held: unknown }>('SELECT held FROM thing ORDER BY id')
      expect(rows.map(row => row.held)).toEqual(values)
      const bytes = database.get<{ held: Uint8Array }>("SELECT held FROM thing WHERE name = 'value 8'")?.held
      expect(bytes?.constructor).toBe(Uint8Array)
      database.close()
    })

    it('[CORE-24.1] has pages of four kilobytes, so that a small commit writes little', async () => {
      const { database } = await withTable()
      expect(database.get('PRAGMA page_size')).toEqual({ page_size: 4096 })
      database.close()
    })

    it('[CORE-24.1] gives back bytes that stay as they are when others are read', async () => {
      const { database, add } = await withTable()
      const large = new Uint8Array(1_000_000).fill(5)
      add('large', large)
      add('small', Uint8Array.of(1, 2, 3))
      const small = database.get<{ held: Uint8Array }>("SELECT held FROM thing WHERE name = 'small'")?.held
      const again = database.get<{ held: Uint8Array }>("SELECT held FROM thing WHERE name = 'large'")?.held
      expect(small).toEqual(Uint8Array.of(1, 2, 3))
      expect(again?.length).toBe(large.length)
      expect(again?.every(byte => byte === 5)).toBe(true)
      database.close()
    })

    it('[CORE-24.1] says how many rows changed and which was the last', async () => {
      const { database, add } = await withTable()
      expect(add('a')).toEqual({ changes: 1, lastId: 1 })
      expect(add('b')).toEqual({ changes: 1, lastId: 2 })
      expect(database.run('UPDATE thing SET held = 1').changes).toBe(2)
      expect(database.run('DELETE FROM thing WHERE id > 5').changes).toBe(0)
      expect(database.get('SELECT name FROM thing WHERE id = 7')).toBeUndefined()
      expect(database.get('SELECT id AS number, name FROM thing ORDER BY id')).toEqual({ number: 1, name: 'a' })
      expect(database.all('SELECT name FROM thing WHERE id = 7')).toEqual([])
      database.close()
    })

    it('[CORE-24.1] keeps nothing of what is rolled back, and all of what is committed', async () => {
      const { database, add, names } = await withTable()
      database.exec('BEGIN IMMEDIATE')
      add('given up')
      database.exec('ROLLBACK')
      database.exec('BEGIN IMMEDIATE')
      add('kept')
      database.exec('COMMIT')
      expect(names()).toEqual(['kept'])
      database.close()
    })

    it('[CORE-24.1] names a fault as SQLite does, and the same statement works afterwards', async () => {
      const { database, add, names } = await withTable()
      add('a')
      const again = async () => add('a')
      await expect(again()).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_UNIQUE' })
      add('b')
      const unreadable = async () => database.all('SELECT nothing FROM thing')
      await expect(unreadable()).rejects.toMatchObject({ code: 'SQLITE_ERROR' })
      const outside = async () => database.exec('ROLLBACK')
      await expect(outside()).rejects.toMatchObject({ code: 'SQLITE_ERROR' })
      expect(names()).toEqual(['a', 'b'])
      database.close()
    })

    it('[CORE-24.1] finds everything again when it is opened again, also what did not wait for the disk', async () => {
      const { open, database, add } = await withTable()
      add('waited')
      database.waitForDisk(false)
      add('did not wait')
      database.waitForDisk(true)
      database.close()
      const again = await open()
      expect(again.all('SELECT name FROM thing')).toHaveLength(2)
      again.close()
    })

    it('[CORE-24.1] empties its log, and nothing is lost by it', async () => {
      const { open, database, add, names } = await withTable()
      for (let at = 0; at < 50; at++) add(`row ${at}`, new Uint8Array(2000))
      database.emptyLog()
      database.emptyLog()
      expect(names()).toHaveLength(50)
      database.close()
      const again = await open()
      expect(again.all('SELECT id FROM thing')).toHaveLength(50)
      again.close()
    })

    it('[CORE-11.24] gives the space of deleted rows back to the disk, in turns, and stays whole', async () => {
      const { open, database, add, names } = await withTable()
      const full = fillAndEmpty(database, add)
      let turns = 0
      for (let more = true; more; turns++) {
        database.exec('BEGIN IMMEDIATE')
        more = giveBackPages(pagesOf(database))
        database.exec('COMMIT')
      }
      database.emptyLog()
      expect(turns).toBeGreaterThan(2)
      expect(full).toBeGreaterThan(2_600_000)
      expect(1_200_000).toBeGreaterThan(bytesOf(database))
      expect(names()).toEqual(KEPT)
      database.close()
      const again = await open()
      expect(again.findDamage()).toBeUndefined()
      expect(1_200_000).toBeGreaterThan(bytesOf(again))
      again.close()
    })

    it('[CORE-11.25] of an older version is rewritten once, and gives space back from then on', async () => {
      const { open, database, add, names } = await withTable()
      database.exec('PRAGMA auto_vacuum = NONE')
      database.exec('VACUUM')
      expect(database.get('PRAGMA auto_vacuum')).toEqual({ auto_vacuum: 0 })
      fillAndEmpty(database, add)
      expect(giveBackPages(pagesOf(database))).toBe(false)
      makeShrinkable(pagesOf(database))
      expect(200_000).toBeGreaterThan(bytesOf(database))
      expect(database.get('PRAGMA auto_vacuum')).toEqual({ auto_vacuum: 2 })
      expect(names()).toEqual(KEPT)
      expect(add('next').lastId).toBe(42)
      database.close()
      const again = await open()
      expect(again.findDamage()).toBeUndefined()
      expect(again.get('PRAGMA auto_vacuum')).toEqual({ auto_vacuum: 2 })
      expect(again.all('SELECT name FROM thing')).toHaveLength(3)
      again.close()
    })

    it('[CORE-24.1] is read by its key alone, and a wrong one spoils nothing', async () => {
      const { open, database, add } = await withTable()
      add('a')
      database.close()
      await expect(open(OTHER_KEY)).rejects.toMatchObject({ code: 'SQLITE_NOTADB' })
      const again = await open()
      expect(again.all('SELECT name FROM thing')).toEqual([{ name: 'a' }])
      again.close()
    })
  })
}
