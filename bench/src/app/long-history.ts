// An account with one chat of very many messages, as a full backup that the app can restore.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openNodeClient } from '@postern/core/node'
import { encodeBackup, newWords, sealFile } from '@postern/core/recovery'
import type { ChatId, MessageId } from '@postern/protocol'
import { makeMlsPair } from '../crypto/mls-pair.ts'
import { fillDirectory } from '../filled/bots.ts'
import { addChat, addMessage, addPerson, textOf } from '../filled/records.ts'
import { makeNodeProvider } from '../inside.ts'

const FIRST_TS = Date.UTC(2025, 0, 1)
const APART_MS = 5 * 60_000
const WITHIN = { timeoutMs: 30_000 }

export type LongHistory = { file: string; words: string; chat: ChatId; messages: MessageId[] }

export async function makeLongHistory(
  directory: string,
  { relayUrl, count }: { relayUrl: string; count: number },
): Promise<LongHistory> {
  const account = join(directory, 'account')
  await register(account, relayUrl)
  const filled = await fill(account, count)
  const provider = makeNodeProvider()
  const words = (await newWords(provider)).join(' ')
  const [database, databaseKey] = ['core.db', 'db.key'].map(name => readFileSync(join(account, name)))
  if (!database || !databaseKey) throw new Error('the account has no database')
  const bytes = encodeBackup({ database, databaseKey })
  const file = join(directory, 'long.postern')
  writeFileSync(file, await sealFile({ kind: 'backup', bytes }, { words, provider }))
  return { ...filled, file, words }
}

async function register(directory: string, relayUrl: string): Promise<void> {
  const client = await openNodeClient({
    directory,
    acceptRequests: 'contacts',
    firstStart: () => ({ relayUrl, name: 'Ada', bot: false }),
  })
  client.start()
  await client.whenOnline(WITHIN)
  await client.stop()
}

async function fill(directory: string, count: number): Promise<{ chat: ChatId; messages: MessageId[] }> {
  const { alice } = await makeMlsPair()
  return fillDirectory(directory, (database, own) => {
    const person = addPerson(database, 'Bob')
    const chat = addChat(database, { own, others: [person], session: alice, ts: FIRST_TS })
    const messages = Array.from({ length: count }, (_, at) => {
      const sender = at % 3 === 0 ? own : person
      return addMessage(database, { chat, sender, ts: FIRST_TS + at * APART_MS, text: wordsOf(at) })
    })
    return { chat, messages }
  })
}

/** With different heights, as people write. */
const wordsOf = (at: number): string => Array.from({ length: 1 + (at % 4) }, () => textOf(at)).join(' ')
