// Calls that protect the account from being lost: recovery words and files, and the browser's promise.

import { AppError } from '../app-error.ts'
import { blob, count, fields, listOf, nothing, text } from '../shapes.ts'
import { early, inAccount } from './answering.ts'

const byCode = fields({ code: text, fetchToken: text })
const withWords = fields({ words: listOf(text) })

/** Needed a few times in the life of an account: loaded on demand. */
const recovery = async () => await import('../account/recovery.ts')
const move = async () => await import('../move.ts')
const storage = async () => await import('../account/storage-use.ts')

export const backupCalls = {
  // A repeat makes other words, which nobody has written down yet.
  newWords: early(nothing, async ({ platform }) => ({ words: await (await recovery()).makeWords(platform) })),
  // A repeat makes another file of the same content.
  recoveryFile: inAccount(
    withWords,
    async (account, { words }) => await (await recovery()).saveRecovery(account, words),
  ),
  backupFile: inAccount(withWords, async (account, { words }) => await (await recovery()).saveBackup(account, words)),
  // Once it is restored there is an account, and a second one is refused.
  restore: early(
    fields({ file: blob, words: listOf(text) }),
    async (worker, asked) => await (await recovery()).restore(worker, asked),
  ),
  // A repeat makes another copy under another code; the first becomes useless.
  moveOut: inAccount(nothing, async account => await (await move()).copyForMove(account)),
  // A cancelled move stays cancelled.
  cancelMove: early(nothing, async ({ home }) => {
    if (home.account) await (await move()).cancelMove(home.account)
  }),
  // Changes nothing here.
  lookAtMove: early(byCode, async (worker, asked) => await (await move()).lookAtMove(worker, asked)),
  // Once it is here there is an account.
  moveIn: early(byCode, async (worker, asked) => await (await move()).moveIn(worker, asked)),
  // The browser asks its person only for a page: the page has done so, and the worker reads the result.
  askToPersist: inAccount(nothing, async ({ keeping }) => {
    await keeping.look()
    return { persisted: keeping.get().persisted }
  }),
  // Changes nothing.
  storageUse: inAccount(nothing, async account => await (await storage()).readStorageUse(account)),
  // A repeat finds nothing more to remove.
  removeFiles: inAccount(fields({ olderThanDays: count }), async (account, { olderThanDays }) => {
    if (olderThanDays < 0) throw new AppError('call-malformed', { field: 'olderThanDays' })
    return await (await storage()).removeFiles(account, olderThanDays)
  }),
}
