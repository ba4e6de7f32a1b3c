// The members of a group, and an admin's actions on each.
import type { VNode } from 'preact'
import type { ChatDetail } from '../contract/objects.ts'
import { call } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { confirm } from '../parts/dialogs/dialogs.tsx'
import type { MenuItem } from '../parts/menus/menu.tsx'
import { openMenu } from '../parts/menus/menus.tsx'
import { BotLabel } from '../parts/text/bot-label.tsx'
import { NameText } from '../parts/text/name-text.tsx'
import { go } from '../router.ts'
import './members.css'
import { groupWords } from './words.ts'
import '../parts/icons/with-lazy-icons.ts'

type MemberItem = ChatDetail['members'][number]

export function Members({ group, me }: { group: ChatDetail; me: string | undefined }): VNode {
  const w = groupWords.value
  const rules = group.members.some(({ id, admin }) => id === me && admin) && group.state === 'active'
  return (
    <ul class="members">
      {group.members.map(member => (
        <li key={member.id}>
          <button
            class="members-row"
            type="button"
            disabled={member.id === me}
            onClick={event => openActions(event.currentTarget, { group, member, rules })}
          >
            <Avatar id={member.id} name={member.name} bot={member.bot} size="s" />
            <span class="members-name">
              <NameText name={member.name} />
              {member.bot && <BotLabel />}
            </span>
            <span class="members-role">
              {[...(member.id === me ? [w.you] : []), ...(member.admin ? [w.admin] : [])].join(' · ')}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

type Chosen = { group: ChatDetail; member: MemberItem; rules: boolean }

function openActions(at: HTMLElement, { group, member, rules }: Chosen): void {
  const w = groupWords.value
  const place = { chat: group.id, account: member.id }
  const role: MenuItem = member.admin
    ? { word: w.noAdmin, icon: 'crown', run: () => begin(call('setAdmin', { ...place, role: 'member' })) }
    : { word: w.makeAdmin, icon: 'crown', run: () => begin(call('setAdmin', { ...place, role: 'admin' })) }
  const removal: MenuItem = {
    word: w.remove,
    icon: 'user-minus',
    danger: true,
    run: () => begin(remove(group, member)),
  }
  openMenu({
    label: w.actionsFor(member.name),
    at,
    items: [
      { word: w.profile, icon: 'user', run: () => go({ screen: 'person', account: member.id }) },
      ...(rules ? [role, removal] : []),
    ],
  })
}

async function remove(group: ChatDetail, { id, name }: MemberItem): Promise<void> {
  const { remove: yes, removeAsk, removeText: text } = groupWords.value
  if (await confirm({ title: removeAsk(name), text, yes, tone: 'danger', icon: 'user-minus' }))
    await call('removeMembers', { chat: group.id, members: [id] })
}
