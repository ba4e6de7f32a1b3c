// The endpoints that change a group: its title, its timer, its members and their roles.
import { gatewayLimits } from '@postern/protocol'
import { z } from 'zod'
import { chatParams, type Endpoint, nothing, sendHeaders } from './endpoint.ts'
import { accountInPath, chatInPath } from './field-rules.ts'
import { chat } from './objects.ts'
import { chatChange, newMembers, newRole } from './requests.ts'

const memberParams = z.object({ chat: chatInPath, account: accountInPath })

export const groupEndpoints = {
  changeChat: {
    method: 'PATCH',
    path: '/v1/chats/{chat}',
    section: 'Chats',
    scopes: ['admin'],
    summary: 'Change a chat',
    description:
      'Changes the title of a group, or the timer of any chat; absent fields stay unchanged. Every member may do this.',
    params: chatParams,
    headers: sendHeaders,
    body: chatChange,
    answer: chat,
  },
  addMembers: {
    method: 'POST',
    path: '/v1/chats/{chat}/members',
    section: 'Chats',
    scopes: ['admin'],
    summary: 'Add members',
    description:
      'Adds people to a group. Those who are members already stay as they are. Every member may do this. New people count towards the limit of the relay.',
    params: chatParams,
    headers: sendHeaders,
    body: newMembers,
    answer: chat,
  },
  removeMember: {
    method: 'DELETE',
    path: '/v1/chats/{chat}/members/{account}',
    section: 'Chats',
    scopes: ['admin'],
    summary: 'Remove a member',
    description: 'Removes a person from a group. Only an admin may do this. The bot itself leaves with POST …/leave.',
    params: memberParams,
    headers: sendHeaders,
    answer: chat,
  },
  setAdmin: {
    method: 'PUT',
    path: '/v1/chats/{chat}/members/{account}/admin',
    section: 'Chats',
    scopes: ['admin'],
    summary: 'Appoint an admin',
    description:
      'Makes a member of a group an admin, or takes it back. Only an admin may do this, and one admin always stays.',
    params: memberParams,
    headers: sendHeaders,
    body: newRole,
    answer: chat,
  },
  setChatPicture: {
    method: 'PUT',
    path: '/v1/chats/{chat}/picture',
    section: 'Chats',
    scopes: ['admin'],
    summary: 'Set a group picture',
    description:
      'Sets the picture of a group: the bytes of a JPEG, PNG or WebP file. It is cropped to a square and scaled down. Every member may do this.',
    params: chatParams,
    upload: { types: ['image/jpeg', 'image/png', 'image/webp'], bytesMax: gatewayLimits.avatarUploadBytesMax },
    answer: chat,
  },
  removeChatPicture: {
    method: 'DELETE',
    path: '/v1/chats/{chat}/picture',
    section: 'Chats',
    scopes: ['admin'],
    summary: 'Remove a group picture',
    description: 'Removes the picture of a group. Every member may do this.',
    params: chatParams,
    answer: chat,
  },
  leaveChat: {
    method: 'POST',
    path: '/v1/chats/{chat}/leave',
    section: 'Chats',
    scopes: ['admin'],
    summary: 'Leave a group',
    description:
      'Leaves a group: the bot receives nothing from it any more. Appoint another admin first: a group whose last admin leaves has none.',
    params: chatParams,
    headers: sendHeaders,
    answer: nothing,
  },
} as const satisfies Record<string, Endpoint>
