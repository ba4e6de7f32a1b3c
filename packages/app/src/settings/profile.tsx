// The person's own name, description, and picture: what others see.
import { contentLimits } from '@postern/protocol'
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { OwnProfile } from '../contract/objects.ts'
import { call, useView } from '../link/link.ts'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { Button } from '../parts/fields/button.tsx'
import { FacePicker } from '../parts/fields/face-picker.tsx'
import { TextField } from '../parts/fields/text-field.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { showToast } from '../parts/toasts/toast-list.ts'
import { settingsWords } from './words.ts'
import '../parts/icons/with-lazy-icons.ts'

export function Profile(): VNode {
  const me = useView('me').value
  if (!me) return <Page title={settingsWords.value.profile}>{null}</Page>
  // A new key per account, not per change: a new picture must not discard a text that is being typed.
  return <ProfileForm key={me.id} me={me} />
}

function ProfileForm({ me }: { me: OwnProfile }): VNode {
  const w = settingsWords.value
  const name = useSignal(me.name)
  const about = useSignal(me.about)
  const changed = name.value.trim() !== me.name || about.value.trim() !== me.about
  const fault = name.value.trim() === '' ? w.nameNeeded : undefined
  const save = async (): Promise<void> => {
    await call('setProfile', { name: name.value.trim(), about: about.value.trim() })
    showToast({ kind: 'note', text: w.saved })
  }
  return (
    <Page
      title={w.profile}
      foot={
        <Button disabled={!changed || fault !== undefined} onClick={save}>
          {w.save}
        </Button>
      }
    >
      <FacePicker
        bytesMax={contentLimits.avatarBytesMax}
        canRemove={me.avatar !== undefined}
        onChoose={avatar => call('setProfile', { avatar })}
      >
        <Avatar id={me.id} name={me.name} avatar={me.avatar} size="xl" />
      </FacePicker>
      <TextField
        label={w.name}
        value={name.value}
        fault={fault}
        maxLength={contentLimits.nameCharsMax}
        onInput={value => void (name.value = value)}
      />
      <TextField
        label={w.aboutMe}
        value={about.value}
        lines="several"
        maxLength={contentLimits.aboutCharsMax}
        onInput={value => void (about.value = value)}
      />
      <PageText>{w.profileSeen}</PageText>
    </Page>
  )
}
