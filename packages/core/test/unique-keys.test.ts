// Every UNIQUE and PRIMARY KEY of the database,
// and why no peer can use it against another: a new one needs a reason here.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SEND_ID_BYTES, sendIdFromBytes } from '@postern/protocol'
import { uniqueKeysOf, WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect, test as plain } from 'vitest'
import { openDataDirectory } from '../src/storage/directory/data-directory-node.ts'

const single = 'one row'
const ofAccount = 'an account id, which is the hash of its key'
const ofGroup = 'a group that its welcome has proved; what a known id may become, the judge decides'
const inGroup = 'scoped to its group'
const inChat = 'scoped to its chat'
const byHash = 'scoped to a message, whose id is the hash of a ciphertext that only one group can read'
const own = 'this client alone chooses it'

const reasons: Record<string, string> = {
  'account (one)': single,
  'asked_join (account_id, token)': 'scoped to the account that its owner has asked',
  'chat (id)': 'the group that opened it, or the person; which chat a later group may claim, the judge decides',
  'chat_picture (chat_id)': inChat,
  'dead_file (blob_id)': 'a removal; whose blob it is the relay decides, and a file is known by its digest, too',
  'epoch_mark (group_id, epoch)': inGroup,
  'gap (group_id, sender)': inGroup,
  'group_link (token)': own,
  'held_event (chat_id, type, message_id, account_id)': inChat,
  'join_request (token, account_id)': 'scoped to a link of this account',
  'journal (id)': own,
  'key_package (reference)': own,
  'list_repair (group_id)': ofGroup,
  'log_place (group_id, seq)': inGroup,
  'lost_group (group_id)': 'a group by the relay’s word; its speakers are told apart by what they are let to do',
  'mailbox (one)': single,
  'mark_question (group_id, epoch, account_id)': inGroup,
  'mark_told (group_id, account_id)': inGroup,
  'member (chat_id, account_id)': inChat,
  'message (row)': own,
  'message (id)': byHash,
  'message (chat_id, ts)': 'scoped to its chat, and a time that is taken is moved',
  'message (chat_id, sender, send_id)': inChat,
  'mls_group (id)': ofGroup,
  'mls_state (group_id)': ofGroup,
  'notice (id)': own,
  'notice (chat_id, ts)': 'scoped to its chat, and a time that is taken is moved',
  'offender (group_id, account_id)': inGroup,
  'offered_data (message_id, data)': byHash,
  'outbox (message_id)': own,
  'passed_time (one)': single,
  'pending_commit (group_id)': own,
  'person (account_id)': ofAccount,
  'poll (message_id)': byHash,
  'press (id, chat_id)': inChat,
  'preview_key (group_id, epoch)': inGroup,
  'profile (account_id)': ofAccount,
  'ratchet (group_id, node)': inGroup,
  'reaction (message_id, account_id)': byHash,
  'reader (name)': own,
  'receipt_due (chat_id, author)': inChat,
  'receipt_event (id)': own,
  'record (shelf, key)': own,
  'refused_group (group_id)': 'a group by the relay’s word; a later refusal replaces the one before',
  'rejoin (group_id, account_id)': inGroup,
  'rejoin_asked (group_id)': ofGroup,
  'removal (chat_id, account_id)': inChat,
  'sent_key (key)': own,
  'start_link (number)': own,
  'start_link (id)': own,
  'start_link (token)': own,
  'start_link_use (link, account_id)': 'scoped to a link of this client',
  'stowed_file (name)': own,
  'taken_direct (group_id, message_id)': inGroup,
  'upload (blob_id)': own,
  'vote (message_id, account_id, ts)': byHash,
}

plain('[CORE-11.21] every unique key has a reason', () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-keys-'))
  const database = openDataDirectory(directory)
  try {
    expect(uniqueKeysOf(database)).toEqual(Object.keys(reasons).toSorted())
  } finally {
    database.close()
    rmSync(directory, { recursive: true })
  }
})

test('[CORE-11.21] an id that was used in a private chat hides nothing in a group', async ({ alice, bob, carol }) => {
  const id = await alice.createGroup('team', [bob, carol])
  const send = sendIdFromBytes(new Uint8Array(SEND_ID_BYTES).fill(7))
  const under = (key: string) => ({ ...WITHIN, idempotency: { key, request: new Uint8Array(32), send } })
  await alice.client.messages.sendText(bob.chatId, { text: 'in private first' }, under('first'))
  await bob.hears('in private first')
  await alice.client.messages.sendText(id, { text: 'for all' }, under('second'))
  for (const person of [bob, carol]) await person.hears('for all')
})
