// The format `slack`: a message in the way of Slack's incoming webhooks, with Slack's answers.
import { CodedError } from '@postern/protocol'
import { isFields } from './fields.ts'
import { defineFormat, oneEvent } from './format.ts'
import { type PostBody, readJsonOrForm } from './post-body.ts'
import { readSlackMessage, type SlackMessage } from './slack-message.ts'

export const slack = defineFormat({
  answers: { done: 'ok', refusal: ({ details }) => (details['field'] === 'text' ? 'no_text' : 'invalid_payload') },
  read: readSlack,
  repeat: () => oneEvent,
  plan: ({ text, entities, buttons }) => ({ kind: 'write', text, entities, buttons }),
})

export function readSlack(body: PostBody): SlackMessage {
  const json = readJsonOrForm(body, 'payload')
  if (!isFields(json)) throw new CodedError('bad-field', { field: 'body', rule: 'must be a JSON object' })
  const message = readSlackMessage(json)
  if (!message)
    throw new CodedError('bad-field', { field: 'text', rule: 'must not be blank, without blocks or attachments' })
  return message
}
