// The screens next to the list of chats.
import type { AppRoute } from '../router.ts'

export type PanePlan = { main?: AppRoute; info?: AppRoute }

/** `besideChat`: the conversation from which the person opened another person's page. */
export type Room = { hasThird: boolean; besideChat?: string | undefined }

/** The details of a chat or a person are next to the conversation, if both fit. */
export function panesFor(at: AppRoute, { hasThird, besideChat }: Room): PanePlan {
  if (at.screen === 'chats') return {}
  if (!hasThird) return { main: at }
  if (isAboutChat(at)) return { main: { screen: 'chat', chat: at.chat }, info: at }
  if (isAboutPerson(at) && besideChat !== undefined) return { main: { screen: 'chat', chat: besideChat }, info: at }
  return { main: at }
}

const isAboutChat = (at: AppRoute): at is Extract<AppRoute, { screen: 'chat-info' | 'media' }> =>
  at.screen === 'chat-info' || at.screen === 'media'

const isAboutPerson = ({ screen }: AppRoute): boolean => screen === 'person' || screen === 'verify'

/** When a route is left for the next one: the conversation that stays next to a person's details. */
export function chatBeside(at: AppRoute, before: string | undefined): string | undefined {
  if (at.screen === 'chat' || isAboutChat(at)) return at.chat
  return isAboutPerson(at) ? before : undefined
}

/** The visible conversation: also next to its details. */
export function chatSeen(at: AppRoute, room: Room): string | undefined {
  const { main } = panesFor(at, room)
  return main?.screen === 'chat' ? main.chat : undefined
}
