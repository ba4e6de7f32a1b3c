// The screen of each route. A screen that is not needed at the start is fetched when it is first shown.
import type { VNode } from 'preact'
import { begin } from '../parts/attempt.ts'
import { type AppRoute, route } from '../router.ts'
import { lazily } from './lazy.tsx'

const AddMembers = lazily(() => import('../group/add-members.tsx').then(({ AddMembers }) => AddMembers))
const ChatInfo = lazily(() => import('./chat-info.tsx').then(({ ChatInfo }) => ChatInfo))
const Conversation = lazily(() => import('../conversation/conversation.tsx').then(({ Conversation }) => Conversation))
const Gallery = lazily(() => import('../gallery/gallery.tsx').then(({ Gallery }) => Gallery))
const GroupLink = lazily(() => import('../group/group-link.tsx').then(({ GroupLink }) => GroupLink))
const NewChat = lazily(() => import('../chat-list/new-chat.tsx').then(({ NewChat }) => NewChat))
const NewGroup = lazily(() => import('../group/new-group.tsx').then(({ NewGroup }) => NewGroup))
const Person = lazily(() => import('../people/person.tsx').then(({ Person }) => Person))
const SettingsScreen = lazily(() => import('../settings/settings.tsx').then(({ SettingsScreen }) => SettingsScreen))
const Verify = lazily(() => import('../people/verify.tsx').then(({ Verify }) => Verify))

/** The list of chats is next to all of them. */
export function screenOf(at: AppRoute): VNode | undefined {
  switch (at.screen) {
    case 'chats':
      return undefined
    case 'chat':
      return <Conversation key={at.chat} chat={at.chat} message={at.message} />
    case 'chat-info':
      return <ChatInfo key={at.chat} chat={at.chat} />
    case 'media':
      return <Gallery key={at.chat} chat={at.chat} />
    case 'person':
      return <Person key={at.account} account={at.account} />
    case 'verify':
      return <Verify key={at.account} account={at.account} />
    case 'new-chat':
      return <NewChat />
    case 'new-group':
      return <NewGroup />
    case 'add-members':
      return <AddMembers key={at.chat} chat={at.chat} />
    case 'group-link':
      return <GroupLink key={at.chat} chat={at.chat} />
    case 'settings':
      return <SettingsScreen part={at.part} />
  }
}

/** The one that nearly everybody opens: fetched while the account opens, so that nobody waits for it. */
export function fetchAhead(): void {
  if (route.value.screen !== 'settings') begin(Conversation.fetch())
}
