// The definition of a kind of content: everything specific to it, in one shape. Kinds neither send nor open chats.
import type { Message, Person } from '@postern/bot-api/objects'
import type { AccountId, ChatId } from '@postern/protocol'
import type { Core } from '../context.ts'
import type { ShownMessage } from '../messages/messages.ts'
import type { Outcome } from '../messages/outcome.ts'
import type { Database } from '../storage/database.ts'
import type { ContentBodies, ContentEventOf, KindName } from './content-event.ts'

/** To everyone in the chat, sealed to one member alone, or from client to client without people seeing it. */
export type DeliveryWay = 'in the chat' | 'to one member' | 'between clients'

/** The parts that a kind may read before something is sent. */
export type ValidateContext = Pick<Core, 'store' | 'own' | 'clock' | 'elapsed'>

/** The parts that a content may use beside the records. */
export type ApplyContext = ValidateContext &
  Pick<Core, 'log' | 'groups' | 'typists' | 'reportsAll' | 'rescheduleTimers' | 'arrived' | 'decline' | 'wakeChores'>

/** The parts that a view may read. */
export type ViewContext = {
  reads: Pick<Database, 'get' | 'all'>
  own: AccountId
  person: (account: AccountId) => Person
  /** With details that the bot API does not have. */
  forScreen?: boolean | undefined
}

/** `Asked` is the caller's request. A part that a kind does not need is absent. */
export type Kind<Name extends KindName, Asked = never> = {
  readonly way: DeliveryWay
  /** Throws unless it may be sent. */
  readonly check?: (core: ValidateContext, chat: ChatId, asked: Asked) => void
  /** The body to send. Undefined when it would change nothing. */
  readonly body?: (core: ValidateContext, chat: ChatId, asked: Asked) => ContentBodies[Name] | undefined
  /** Its effect: the same on every side, in one transaction, for content of others and of this account. */
  readonly apply: (core: ApplyContext, database: Database, said: ContentEventOf<Name>) => Outcome
  /** Its part of a message's view. */
  readonly view?: (around: ViewContext, row: ShownMessage, body: ContentBodies[Name]) => Partial<Message>
}
