// The person's own name, description, and picture: what others see.
import { contentLimits } from '@postern/protocol'
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import type { OwnProfile } from '../contract/objects.ts'
import { call, useView } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { Button } from '../parts/fields/button.tsx'
import { TextField } from '../parts/fields/text-field.tsx'
import { Icon } from '../parts/icons/icon.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { showToast } from '../parts/toasts/toast-list.ts'
import './profile.css'
import { makeSquare } from './square-picture.ts'
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
      <Picture me={me} />
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

function Picture({ me }: { me: OwnProfile }): VNode {
  const w = settingsWords.value
  const input = useRef<HTMLInputElement>(null)
  const choose = async (file: File): Promise<void> => {
    const avatar = await makeSquare(file)
    if (avatar) await call('setProfile', { avatar })
    else showToast({ kind: 'error', text: w.notAPicture })
  }
  return (
    <div class="profile-picture">
      <button class="profile-face" type="button" aria-label={w.choosePicture} onClick={() => input.current?.click()}>
        <Avatar id={me.id} name={me.name} avatar={me.avatar} size="xl" />
        <span class="profile-camera">
          <Icon name="camera" size={18} />
        </span>
      </button>
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        aria-label={w.choosePicture}
        onChange={event => {
          const [file] = event.currentTarget.files ?? []
          // Choosing the same file again is a choice, too.
          event.currentTarget.value = ''
          if (file) begin(choose(file))
        }}
      />
      {me.avatar && (
        <Button kind="quiet" onClick={() => call('setProfile', { avatar: null })}>
          {w.removePicture}
        </Button>
      )}
    </div>
  )
}
