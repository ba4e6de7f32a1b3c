// The store of pushes on SQLite: one relay, which knows all its connections.
import type { PushStore } from '../../push-store.ts'
import type { GroupCommit } from '../group-commit.ts'
import type { AttentionRows } from './attention-rows.ts'
import type { DueRows } from './due-rows.ts'
import type { PushRows } from './push-rows.ts'

type Parts = { rows: PushRows; due: DueRows; attention: AttentionRows; writes: GroupCommit }

export const sqlitePushStore = ({ rows, due, attention, writes }: Parts): PushStore => ({
  keyPair: candidate => writes.run(() => rows.keyPair(candidate)),
  set: (device, subscription) => writes.run(() => rows.set(device, subscription)),
  clear: device => writes.run(() => rows.clear(device)),
  drop: (device, endpoint) => writes.run(() => rows.drop(device, endpoint)),
  lead: async () => true,
  look: async asked => {
    const gone: string[] = []
    const page = due.look(asked, device => gone.push(device))
    if (gone.length > 0)
      await writes.run(() => {
        for (const device of gone) rows.clear(device)
      })
    return page
  },
  read: async asked => due.read(asked),
  previewOf: async entry => attention.previewOf(entry),
  notePushed: reached =>
    writes.run(() => {
      for (const { device, pos } of reached) rows.notePushed(device, pos)
    }),
  noteLeft: async () => undefined,
})
