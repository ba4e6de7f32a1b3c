// The table of all kinds of content. A kind of the content's union that is missing here does not compile.
import type { Message } from '@postern/bot-api/objects'
import { bodyOf, type ShownMessage } from '../messages/messages.ts'
import { ignored, type Outcome } from '../messages/outcome.ts'
import type { Database } from '../storage/database.ts'
import { call } from './call.ts'
import { close } from './close.ts'
import { compare } from './compare.ts'
import type { ContentBodies, ContentEventOf, KindName } from './content-event.ts'
import { deletion } from './delete.ts'
import { edit } from './edit.ts'
import { file } from './file.ts'
import { hello } from './hello.ts'
import { joinAnswer } from './join-answer.ts'
import { joinAsk } from './join-ask.ts'
import type { ApplyContext, DeliveryWay, Kind, ViewContext } from './kind.ts'
import { leave } from './leave.ts'
import { poll } from './poll.ts'
import { press } from './press.ts'
import { reaction } from './reaction.ts'
import { receipt } from './receipt.ts'
import { rejoin } from './rejoin.ts'
import { text } from './text.ts'
import { toast } from './toast.ts'
import { unknown } from './unknown.ts'
import { vote } from './vote.ts'

const kinds: { readonly [Name in KindName]: Kind<Name> } = {
  text,
  file,
  poll,
  vote,
  close,
  press,
  toast,
  edit,
  delete: deletion,
  reaction,
  receipt,
  call,
  hello,
  leave,
  rejoin,
  compare,
  'join-ask': joinAsk,
  'join-answer': joinAnswer,
  unknown,
}

type Hearing<Name extends KindName> = { kind: Name; said: ContentEventOf<Name>; way: DeliveryWay }

/** Content that was sent in another way than that of its kind would reach the wrong recipients. */
export function applyKind<Name extends KindName>(
  core: ApplyContext,
  database: Database,
  { kind, said, way }: Hearing<Name>,
): Outcome {
  if (kinds[kind].way !== way) return ignored('not said this way')
  return kinds[kind].apply(core, database, said)
}

/** Sent between the clients of members, without people seeing it: it opens no chat and discloses no name. */
export const isBetweenClients = ({ kind }: { kind: KindName }): boolean => kinds[kind].way === 'between clients'

export function viewKind(around: ViewContext, row: ShownMessage): Partial<Message> {
  const body = bodyOf(row)
  return viewBody(around, row, { kind: body.kind, body })
}

function viewBody<Name extends KindName>(
  around: ViewContext,
  row: ShownMessage,
  { kind, body }: { kind: Name; body: ContentBodies[Name] },
): Partial<Message> {
  return kinds[kind].view?.(around, row, body) ?? {}
}
