// About a chat: the group, or the person with whom one talks.
import type { VNode } from 'preact'
import { GroupInfo } from '../group/group-info.tsx'
import { useView } from '../link/link.ts'
import { Page } from '../parts/page.tsx'
import { Person } from '../people/person.tsx'

export function ChatInfo({ chat }: { chat: string }): VNode {
  const detail = useView('chat', chat).value
  if (detail === undefined) return <Page>{null}</Page>
  return detail.type === 'group' ? <GroupInfo group={detail} /> : <Person account={detail.id} />
}
