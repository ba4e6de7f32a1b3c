// The list of settings, and the screen of each part.
import type { VNode } from 'preact'
import { InstallOption } from '../install/install.tsx'
import { useView } from '../link/link.ts'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { Option, OptionGroup } from '../parts/menus/option.tsx'
import { Page } from '../parts/page.tsx'
import { go, type SettingsPart } from '../router.ts'
import { AboutApp } from './about.tsx'
import { Appearance } from './appearance.tsx'
import { BackupScreen } from './backup.tsx'
import { Blocked } from './blocked.tsx'
import { InviteLink } from './invite-link.tsx'
import { Notifications } from './notifications.tsx'
import { Privacy } from './privacy.tsx'
import { Profile } from './profile.tsx'
import { Storage } from './storage.tsx'
import { storageWords } from './storage-words.ts'
import { settingsWords } from './words.ts'
import '../parts/icons/with-lazy-icons.ts'

const screens: Record<SettingsPart, () => VNode> = {
  profile: Profile,
  invite: InviteLink,
  'keep-account': BackupScreen,
  storage: Storage,
  notifications: Notifications,
  appearance: Appearance,
  privacy: Privacy,
  blocked: Blocked,
  about: AboutApp,
}

export function SettingsScreen({ part }: { part?: SettingsPart | undefined }): VNode {
  const Screen = part ? screens[part] : SettingsMenu
  return <Screen key={part} />
}

const open = (part: SettingsPart) => () => go({ screen: 'settings', part })

function SettingsMenu(): VNode {
  const w = settingsWords.value
  const me = useView('me').value
  const keeping = useView('keeping').value
  const isKept = keeping?.recoverySavedMs !== undefined && !keeping.recoveryIsOld
  return (
    <Page title={w.settings}>
      {me && (
        <Option
          face={<Avatar id={me.id} name={me.name} avatar={me.avatar} />}
          title={me.name}
          text={me.about || w.profileHint}
          leads="next"
          onClick={open('profile')}
        />
      )}
      <OptionGroup>
        <Option icon="qr-code" title={w.invite} leads="next" onClick={open('invite')} />
        <Option
          icon="key-round"
          title={w.keep}
          aside={keeping && !isKept ? w.notKept : undefined}
          warns
          leads="next"
          onClick={open('keep-account')}
        />
      </OptionGroup>
      <OptionGroup>
        <Option icon="bell" title={w.notifications} leads="next" onClick={open('notifications')} />
        <Option icon="palette" title={w.appearance} leads="next" onClick={open('appearance')} />
        <Option icon="lock" title={w.privacy} leads="next" onClick={open('privacy')} />
        <Option icon="hard-drive" title={storageWords.value.storage} leads="next" onClick={open('storage')} />
        <Option icon="ban" title={w.blocked} leads="next" onClick={open('blocked')} />
      </OptionGroup>
      <OptionGroup>
        <InstallOption />
        <Option icon="info" title={w.about} leads="next" onClick={open('about')} />
      </OptionGroup>
    </Page>
  )
}
