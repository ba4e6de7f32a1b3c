// Asks members to add this account again to a group whose keys it has lost. Each member is asked in private.
import type { AccountId, ChatId, Deadline, GroupId } from '@postern/protocol'
import type { KnownBody } from '@postern/protocol/content'
import { ensureQuietChat } from '../chats/opening/open-chat.ts'
import type { Core } from '../context.ts'
import { newDraft } from '../outbox/compose.ts'
import { sendContent } from '../outbox/send-content.ts'

export async function askToRejoin(
  core: Core,
  { group, members }: { group: GroupId; members: AccountId[] },
  deadline: Deadline,
): Promise<void> {
  await forEach(members, async account => {
    const { id } = await ensureQuietChat(core, account, deadline)
    await say(core, id, { body: { kind: 'rejoin', group }, deadline })
  })
}

export async function say(
  core: Core,
  chat: ChatId,
  { body, deadline }: { body: Extract<KnownBody, { kind: 'hello' | 'rejoin' }>; deadline: Deadline },
): Promise<void> {
  await sendContent(core, chat, { draft: newDraft(core, body), deadline })
}

/**
 * A chat that cannot be healed does not stop the others: one person without good keys at the relay would make all wait.
 */
export async function forEach<T>(all: readonly T[], heal: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = []
  for (const one of all) await heal(one).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
