// The design that the relay's store grew from: one row per payload, one per member's mailbox, texts as keys, group commit.
import Database from 'better-sqlite3-multiple-ciphers'

type Waiting = { apply: () => void; resolve: () => void }

export class PrototypeStore {
  readonly #db: Database.Database
  readonly #sql
  #queue: Waiting[] = []

  constructor(path: string) {
    const db = new Database(path)
    for (const pragma of ['journal_mode=WAL', 'synchronous=FULL', 'cache_size=-131072', 'wal_autocheckpoint=4000'])
      db.pragma(pragma)
    db.exec(`
      CREATE TABLE grp (id TEXT PRIMARY KEY, epoch INTEGER NOT NULL, seq INTEGER NOT NULL, last_pos INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE member (gid TEXT, acct TEXT, since INTEGER NOT NULL, until INTEGER, PRIMARY KEY (gid, acct)) WITHOUT ROWID;
      CREATE INDEX member_acct ON member (acct, gid);
      CREATE TABLE msg (pos INTEGER PRIMARY KEY AUTOINCREMENT, gid TEXT NOT NULL, seq INTEGER NOT NULL, kind INTEGER NOT NULL, mid TEXT NOT NULL, dest TEXT, payload BLOB);
      CREATE UNIQUE INDEX msg_mid ON msg (gid, mid);
      CREATE INDEX msg_gid ON msg (gid, pos);
      CREATE INDEX msg_dest ON msg (dest, pos) WHERE dest IS NOT NULL;
      CREATE TABLE mbox (acct TEXT, pos INTEGER, PRIMARY KEY (acct, pos)) WITHOUT ROWID;`)
    this.#db = db
    this.#sql = {
      begin: db.prepare('BEGIN IMMEDIATE'),
      commit: db.prepare('COMMIT'),
      group: db.prepare<[string], { seq: number }>('SELECT seq FROM grp WHERE id = ?'),
      newGroup: db.prepare('INSERT INTO grp VALUES (?, 0, 0, 0)'),
      join: db.prepare('INSERT INTO member VALUES (?, ?, 0, NULL)'),
      known: db.prepare('SELECT pos, seq FROM msg WHERE gid = ? AND mid = ?'),
      insert: db.prepare('INSERT INTO msg (gid, seq, kind, mid, dest, payload) VALUES (?, ?, 0, ?, NULL, ?)'),
      advance: db.prepare('UPDATE grp SET seq = ?, last_pos = ? WHERE id = ?'),
      fanOut: db.prepare('INSERT INTO mbox SELECT acct, ? FROM member WHERE gid = ? AND until IS NULL'),
    }
  }

  createGroup(group: string, members: readonly string[]): Promise<void> {
    return this.#write(() => {
      this.#sql.newGroup.run(group)
      for (const member of members) this.#sql.join.run(group, member)
    })
  }

  append(group: string, { message, payload }: { message: string; payload: Uint8Array }): Promise<void> {
    return this.#write(() => {
      if (this.#sql.known.get(group, message)) return
      const seq = (this.#sql.group.get(group)?.seq ?? 0) + 1
      const pos = Number(this.#sql.insert.run(group, seq, message, payload).lastInsertRowid)
      this.#sql.advance.run(seq, pos, group)
      this.#sql.fanOut.run(pos, group)
    })
  }

  close(): void {
    this.#db.close()
  }

  #write(apply: () => void): Promise<void> {
    return new Promise(resolve => {
      this.#queue.push({ apply, resolve })
      if (this.#queue.length === 1) setImmediate(() => this.#flush())
    })
  }

  #flush(): void {
    const batch = this.#queue
    this.#queue = []
    this.#sql.begin.run()
    for (const { apply } of batch) apply()
    this.#sql.commit.run()
    for (const { resolve } of batch) resolve()
  }
}
