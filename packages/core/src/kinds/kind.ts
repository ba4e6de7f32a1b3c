// What a kind of content is: everything that is particular to it, in one shape. Kinds neither send nor open chats.
import type { Message, Person } from '@postern/bot-api/objects'
import type { AccountId, ChatId } from '@postern/protocol'
import type { Core } from '../context.ts'
import type { ShownMessage } from '../messages/messages.ts'
import type { Outcome } from '../messages/outcome.ts'
import type { Database } from '../storage/database.ts'
import type { ContentBodies, ContentEventOf, KindName } from './content-event.ts'

/** To everybody in the chat, sealed to one member alone, or from client to client without a word to people. */
export type DeliveryWay = 'in the chat' | 'to one member' | 'between clients'

/** What can be looked up before something is said. */
export type ValidateContext = Pick<Core, 'store' | 'own' | 'clock' | 'elapsed'>

/** What a content can set to work beside the records. */
export type ApplyContext = ValidateContext &
  Pick<Core, 'log' | 'groups' | 'reportsAll' | 'rescheduleTimers' | 'arrived' | 'decline' | 'wakeChores'>

/** What is looked up for a view. */
export type ViewContext = {
  reads: Pick<Database, 'get' | 'all'>
  own: AccountId
  person: (account: AccountId) => Person
}

/** `Asked` is what a caller asks for. A part that a kind has no use for is absent. */
export type Kind<Name extends KindName, Asked = never> = {
  readonly way: DeliveryWay
  /** Throws unless it may be said. */
  readonly check?: (core: ValidateContext, chat: ChatId, asked: Asked) => void
  /** What is said then. Undefined when it would change nothing. */
  readonly body?: (core: ValidateContext, chat: ChatId, asked: Asked) => ContentBodies[Name] | undefined
  /** What it means: the same on every side, in one transaction, for what others say and for what we said ourselves. */
  readonly apply: (core: ApplyContext, database: Database, said: ContentEventOf<Name>) => Outcome
  /** How it looks in a message. */
  readonly view?: (around: ViewContext, row: ShownMessage, body: ContentBodies[Name]) => Partial<Message>
}
