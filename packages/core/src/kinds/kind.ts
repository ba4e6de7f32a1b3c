// What a kind of content is: everything that is particular to it, in one shape. Kinds neither send nor open chats.
import type { Message, Person } from '@postern/bot-api/objects'
import type { AccountId, ChatId } from '@postern/protocol'
import type { Core } from '../context.ts'
import type { ShownMessage } from '../messages/messages.ts'
import type { Outcome } from '../messages/outcome.ts'
import type { Database } from '../storage/database.ts'
import type { Bodies, KindName, SaidOf } from './said.ts'

/** To everybody in the chat, sealed to one member alone, or from client to client without a word to people. */
export type Way = 'in the chat' | 'to one member' | 'between clients'

/** What can be looked up before something is said. */
export type Checking = Pick<Core, 'store' | 'own' | 'clock' | 'passed'>

/** What a content can set to work beside the records. */
export type Applying = Checking & Pick<Core, 'log' | 'groups' | 'reportsAll' | 'rearm' | 'arrived' | 'decline' | 'poke'>

/** What is looked up for a view. */
export type Around = { reads: Pick<Database, 'get' | 'all'>; own: AccountId; person: (account: AccountId) => Person }

/** `Asked` is what a caller asks for. A part that a kind has no use for is absent. */
export type Kind<Name extends KindName, Asked = never> = {
  readonly way: Way
  /** Throws unless it may be said. */
  readonly check?: (core: Checking, chat: ChatId, asked: Asked) => void
  /** What is said then. Undefined when it would change nothing. */
  readonly body?: (core: Checking, chat: ChatId, asked: Asked) => Bodies[Name] | undefined
  /** What it means: the same on every side, in one transaction, for what others say and for what we said ourselves. */
  readonly apply: (core: Applying, database: Database, said: SaidOf<Name>) => Outcome
  /** How it looks in a message. */
  readonly view?: (around: Around, row: ShownMessage, body: Bodies[Name]) => Partial<Message>
}
