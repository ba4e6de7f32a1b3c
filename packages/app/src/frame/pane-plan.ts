// Which screens stand beside the list of chats.
import type { Route } from '../router.ts'

export type PanePlan = { main?: Route; info?: Route }

/** What is told about a chat stands beside that chat, where there is room for both. */
export function panesFor(at: Route, hasThird: boolean): PanePlan {
  if (at.screen === 'chats') return {}
  if (at.screen === 'chat-info' && hasThird) return { main: { screen: 'chat', chat: at.chat }, info: at }
  return { main: at }
}

/** The conversation that can be seen: with what is told about it, too. */
export function chatSeen(at: Route, hasThird: boolean): string | undefined {
  const { main } = panesFor(at, hasThird)
  return main?.screen === 'chat' ? main.chat : undefined
}
