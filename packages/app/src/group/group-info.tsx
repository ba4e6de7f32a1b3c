// About a group: its name, its members, and the actions on it.
import { contentLimits } from '@postern/protocol'
import type { VNode } from 'preact'
import type { ChatDetail } from '../contract/objects.ts'
import { timerText } from '../i18n/timers.ts'
import { call, useView } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { pictureKnownOf } from '../parts/avatar/avatars.ts'
import { confirm } from '../parts/dialogs/dialogs.tsx'
import { RemovalOptions } from '../parts/dialogs/removal-options.tsx'
import { FacePicker } from '../parts/fields/face-picker.tsx'
import { Option, OptionGroup } from '../parts/menus/option.tsx'
import { Page, PageSection } from '../parts/page.tsx'
import { NameText } from '../parts/text/name-text.tsx'
import { go } from '../router.ts'
import { chooseTimer } from './choose-timer.tsx'
import './group-info.css'
import { Members } from './members.tsx'
import { renameGroup } from './rename-group.tsx'
import { groupWords } from './words.ts'

export function GroupInfo({ group }: { group: ChatDetail }): VNode {
  const me = useView('me').value
  const isIn = group.state === 'active'
  const isAdmin = isIn && group.members.some(({ id, admin }) => id === me?.id && admin)
  const w = groupWords.value
  // Another page once the person has left: the focus is lost with the button, and continues at its beginning.
  return (
    <Page key={isIn ? 'in' : 'out'} title={w.info}>
      <div class="group-info-head">
        <GroupPicture group={group} />
        <h2 class="group-info-name">
          <NameText name={group.name} isWhole />
        </h2>
      </div>
      <OptionGroup>
        {isIn && <Option icon="pencil" title={w.rename} onClick={() => begin(renameGroup(group))} />}
        <Option
          icon="timer"
          title={w.timer}
          aside={timerText(group.timer_ms)}
          disabled={!isIn}
          onClick={() => begin(chooseTimer(group.id, group.timer_ms))}
        />
        <Option
          icon={group.muted ? 'bell' : 'bell-off'}
          title={group.muted ? w.unmute : w.mute}
          onClick={() => begin(call('markChat', { chat: group.id, muted: !group.muted }))}
        />
      </OptionGroup>
      <Option icon="image" title={w.media} leads="next" onClick={() => go({ screen: 'media', chat: group.id })} />
      <PageSection title={w.members(group.members.length)} />
      {isIn && (
        <Option icon="user-plus" title={w.addMembers} onClick={() => go({ screen: 'add-members', chat: group.id })} />
      )}
      {isAdmin && (
        <Option icon="link" title={w.link} leads="next" onClick={() => go({ screen: 'group-link', chat: group.id })} />
      )}
      <Members group={group} me={me?.id} />
      {isIn && <Option icon="log-out" title={w.leave} danger onClick={() => begin(leave(group))} />}
      <RemovalOptions chat={group} />
    </Page>
  )
}

function GroupPicture({ group: { id, name, state } }: { group: ChatDetail }): VNode {
  const avatar = <Avatar id={id} name={name} size="xl" />
  if (state !== 'active') return avatar
  return (
    <FacePicker
      bytesMax={contentLimits.groupPictureBytesMax}
      canRemove={pictureKnownOf(id) !== undefined}
      onChoose={picture => call('setGroupPicture', { chat: id, picture })}
    >
      {avatar}
    </FacePicker>
  )
}

async function leave({ id, name }: ChatDetail): Promise<void> {
  const { leave: yes, leaveAsk, leaveText: text } = groupWords.value
  if (await confirm({ title: leaveAsk(name), text, yes, tone: 'danger', icon: 'log-out' }))
    await call('leaveGroup', { chat: id })
}
