// Puts a message into the records of a person, without any traffic.
import type { ChatId } from '@postern/protocol'
import type { TestPerson } from '@postern/testkit'
import { insertMessage } from '../src/messages/messages.ts'
import { coreOf } from './hostile/modified-client.ts'

type PlacedMessage = { id: string; chat: ChatId; ts: number; body: object }

export const put = (person: TestPerson, { id, chat, ts, body }: PlacedMessage) =>
  coreOf(person).store.write(database =>
    insertMessage(database, {
      id: id as never,
      chat_id: chat,
      sender: person.id,
      ts,
      send_id: id as never,
      body: JSON.stringify(body),
      reported: 1,
      timer_ms: 0,
      expires_ts: null,
      erase_at_ms: null,
      read: 1,
    }),
  )
