// About a chat: the group, or the other person.
import type { VNode } from 'preact'
import { conversationWords } from '../conversation/words.ts'
import { GroupInfo } from '../group/group-info.tsx'
import { useSeenView } from '../link/link.ts'
import { NotHere } from '../parts/dialogs/not-here.tsx'
import { Page } from '../parts/page.tsx'
import { Person } from '../people/person.tsx'

export function ChatInfo({ chat }: { chat: string }): VNode {
  const seen = useSeenView('chat', chat).value
  const detail = seen?.value
  const w = conversationWords.value
  if (!seen) return <Page>{null}</Page>
  if (!detail) return <NotHere title={w.noChatTitle} text={w.noChat} />
  return detail.type === 'group' ? <GroupInfo group={detail} /> : <Person account={detail.id} />
}
