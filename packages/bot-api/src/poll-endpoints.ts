// Polls and presses of buttons, as rows of the table of endpoints.
import { z } from 'zod'
import { chatParams, type Endpoint, messageParams, nothing, sendHeaders } from './endpoint.ts'
import { pressInPath } from './field-rules.ts'
import { message } from './objects.ts'
import { newPoll, newVote, pressAnswer } from './requests.ts'

export const pollEndpoints = {
  sendPoll: {
    method: 'POST',
    path: '/v1/chats/{chat}/polls',
    section: 'Polls',
    scopes: ['send'],
    reach: ['params.chat'],
    summary: 'Send a poll',
    description: 'Sends a poll.',
    params: chatParams,
    headers: sendHeaders,
    body: newPoll,
    answer: message,
  },
  vote: {
    method: 'POST',
    path: '/v1/chats/{chat}/messages/{msg}/vote',
    section: 'Polls',
    scopes: ['send'],
    reach: ['params.chat'],
    summary: 'Vote in a poll',
    description: "Sets the bot's vote in an open poll, replacing its earlier one; [] retracts it.",
    params: messageParams,
    headers: sendHeaders,
    body: newVote,
    answer: nothing,
  },
  closePoll: {
    method: 'POST',
    path: '/v1/chats/{chat}/messages/{msg}/close',
    section: 'Polls',
    scopes: ['send'],
    reach: ['params.chat'],
    summary: 'Close a poll',
    description: "Closes the bot's own poll: nobody can vote any more.",
    params: messageParams,
    headers: sendHeaders,
    answer: nothing,
  },
} as const satisfies Record<string, Endpoint>

export const pressEndpoints = {
  answerPress: {
    method: 'POST',
    path: '/v1/presses/{press_id}/answer',
    section: 'Buttons',
    scopes: ['send'],
    reach: 'own',
    summary: 'Answer a press',
    description:
      'Answers the press of a button, once and within a minute, with a text that only the person who pressed sees.',
    params: z.object({ press_id: pressInPath }),
    headers: sendHeaders,
    body: pressAnswer,
    answer: nothing,
  },
} as const satisfies Record<string, Endpoint>
