// Sends presses of buttons and their answers: each to one member alone, until the relay has it.
import {
  type AccountId,
  type ChatId,
  CodedError,
  type Deadline,
  isCoded,
  type MessageId,
  PRESS_ID_BYTES,
  type PressId,
  pressIdFromBytes,
} from '@postern/protocol'
import type { KnownBody } from '@postern/protocol/content'
import type { Core } from '../context.ts'
import { assertActive, press } from '../kinds/press.ts'
import { assertAnswerable, type NewToast, toast } from '../kinds/toast.ts'
import { findMessage } from '../messages/messages.ts'
import { noteAnswered, notePress, pressBy, pressTo } from '../messages/presses.ts'
import { isUnanswered, onlineAgain } from '../relay-link/relay-answers.ts'
import { findKey, type Idempotency, noteDone, noteKey } from '../storage/state/idempotency-keys.ts'
import { type DirectSending, sendDirect } from './send-direct.ts'

type AskedPress = { chat: ChatId; message: MessageId; data: string; idempotency?: Idempotency }

/** A key that was used before means the same press: the bot, which may have it already, accepts it once. */
export async function pressButton(core: Core, asked: AskedPress, deadline: Deadline): Promise<PressId> {
  const { chat, message, data, idempotency } = asked
  const earlier = idempotency && findKey(core, idempotency)
  const id = (earlier?.subject as PressId | undefined) ?? pressIdFromBytes(core.provider.randomBytes(PRESS_ID_BYTES))
  if (typeof earlier?.ts === 'number') return id
  // A press that the bot may have is sent again even if its button is gone by now:
  // refused, it would seem not to have been pressed.
  const known = earlier && pressBy(core.store, id, core.own.id)
  const bot = known?.bot ?? (await beginPress(core, { ...asked, press: id }))
  const body = press.body(core, chat, { press: id, message, data })
  await sendUntilAnswered(core, { chat, to: bot }, { body, deadline })
  if (idempotency) await core.store.write(database => noteDone(database, idempotency, core.elapsed.nowMs()), 'recorded')
  return id
}

/** The id is written before it is sent; with a key durably, so that not even a power failure loses it. */
async function beginPress(core: Core, asked: AskedPress & { press: PressId }): Promise<AccountId> {
  const { chat, message, press: id, idempotency } = asked
  press.check(core, chat, asked)
  const { sender: bot } = findMessage(core.store, chat, message)
  const pressed = { id, chat_id: chat, message_id: message, presser: core.own.id, bot, ts: core.clock.nowMs() }
  await core.store.write(
    database => {
      notePress(core, database, pressed)
      if (idempotency) noteKey(database, idempotency, { subject: id, nowMs: core.elapsed.nowMs() })
    },
    idempotency ? 'durable' : 'recorded',
  )
  return bot
}

/** `chats`: the answer is for a press in one of them. */
type Answer = NewToast & { idempotency?: Idempotency; chats?: readonly string[] | undefined }

/** The caller makes sure that one press has one answer in flight. */
export async function answerPress(core: Core, answer: Answer, deadline: Deadline): Promise<void> {
  const { press: id, idempotency, chats } = answer
  const row = pressTo(core.store, id, core.own.id)
  if (!row || chats?.includes(row.chat_id) === false) throw new CodedError('press-not-found', { press: id })
  const { chat_id: chat, presser: to } = row
  toast.check(core, chat, answer)
  if (idempotency && findKey(core, idempotency)) return
  assertAnswerable(core, row)
  await sendUntilAnswered(core, { chat, to }, { body: toast.body(core, chat, answer), deadline })
  await core.store.write(database => {
    noteAnswered(database, row)
    if (idempotency) noteKey(database, idempotency, { subject: id, nowMs: core.elapsed.nowMs() })
  })
}

type Direct = { body: KnownBody; deadline: Deadline }

/** Retries until the relay has it: the other side knows a press by its id, and accepts it once. */
async function sendUntilAnswered(
  core: DirectSending,
  to: { chat: ChatId; to: AccountId },
  direct: Direct,
): Promise<void> {
  for (let isInDoubt = false; ; ) {
    // Once the relay may have it, no caller gets an error that says it does not.
    if (isInDoubt) await onlineAgain(core, direct.deadline)
    else await core.link.whenOnline(direct.deadline.leftMs())
    assertActive(core, to.chat)
    const outcome = await sendDirect(core, to, direct).catch((error: unknown) => {
      if (isUnanswered(error)) return isCoded(error, 'relay-unreachable') ? ('unsent' as const) : ('in doubt' as const)
      // This account may have been removed from the chat: the relay knows it first.
      assertActive(core, to.chat)
      // Each try is sealed again: a refusal says nothing about an earlier one, whose answer was lost.
      if (isInDoubt) throw new CodedError('send-in-doubt', {}, { cause: error })
      throw isCoded(error, 'group-unknown') ? new CodedError('chat-left') : error
    })
    if (outcome === 'sent') return
    if (isInDoubt && (outcome === 'gone' || outcome === 'broken')) throw new CodedError('send-in-doubt')
    if (outcome === 'gone') throw new CodedError('not-a-member', { account: to.to })
    if (outcome === 'broken') throw new CodedError('chat-healing')
    isInDoubt ||= outcome === 'in doubt'
  }
}
