// The command that begins a chat, sent by a start link: its payload is written here, where the link was made.
import type { Message } from '@postern/bot-api/objects'
import { START_COMMAND } from '@postern/protocol'
import type { UsedStartLink } from '../identity/start-links.ts'
import type { ContentBodies, KindName } from './content-event.ts'

/** A field of the stored body alone: no schema of received content has it, so no sender can write it. */
type StartedText = ContentBodies['text'] & { invite?: UsedStartLink }

/** Every other body stays as it is. */
export function withPayload(body: ContentBodies[KindName], link: UsedStartLink): ContentBodies[KindName] {
  if (body.kind !== 'text' || body.text !== START_COMMAND) return body
  const started: StartedText = { ...body, text: `${START_COMMAND} ${link.payload}`, invite: link }
  return started
}

/** An edit changes the text, and not the payload here. */
export const viewStart = ({ invite }: StartedText): Pick<Message, 'invite'> => (invite ? { invite } : {})
