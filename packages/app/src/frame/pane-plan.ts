// Which screens stand beside the list of chats.
import type { AppRoute } from '../router.ts'

export type PanePlan = { main?: AppRoute; info?: AppRoute }

/** `besideChat`: the conversation from which somebody came to what is told about a person. */
export type Room = { hasThird: boolean; besideChat?: string | undefined }

/** What is told about a chat or a person stands beside the conversation, where there is room for both. */
export function panesFor(at: AppRoute, { hasThird, besideChat }: Room): PanePlan {
  if (at.screen === 'chats') return {}
  if (!hasThird) return { main: at }
  if (at.screen === 'chat-info') return { main: { screen: 'chat', chat: at.chat }, info: at }
  if (isAboutPerson(at) && besideChat !== undefined) return { main: { screen: 'chat', chat: besideChat }, info: at }
  return { main: at }
}

const isAboutPerson = ({ screen }: AppRoute): boolean => screen === 'person' || screen === 'verify'

/** Of the route that is left for the next one: the conversation that stays beside what is told about a person. */
export function chatBeside(at: AppRoute, before: string | undefined): string | undefined {
  if (at.screen === 'chat' || at.screen === 'chat-info') return at.chat
  return isAboutPerson(at) ? before : undefined
}

/** The conversation that can be seen: with what is told about it, too. */
export function chatSeen(at: AppRoute, room: Room): string | undefined {
  const { main } = panesFor(at, room)
  return main?.screen === 'chat' ? main.chat : undefined
}
