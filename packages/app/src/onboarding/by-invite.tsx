// Somebody came by an invite link: who invites, then the name. The chat opens as soon as there is an account.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { CallAnswer } from '../contract/calls.ts'
import { call } from '../link/link.ts'
import { Avatar } from '../parts/avatar.tsx'
import { BotLabel } from '../parts/bot-label.tsx'
import { Button } from '../parts/button.tsx'
import { Gate } from '../parts/gate.tsx'
import { NameText } from '../parts/name-text.tsx'
import { ChooseName } from './choose-name.tsx'
import { onboardingWords } from './words.ts'

type Inviter = CallAnswer<'previewInvite'>

export function ByInvite({ link, onRestore }: { link: string; onRestore: () => void }): VNode {
  const w = onboardingWords.value
  const inviter = useSignal<Inviter | undefined>(undefined)
  useEffect(() => {
    inviter.value = undefined
    call('previewInvite', { link }).then(
      found => {
        inviter.value = found
      },
      // Nobody is shown then; whether the link is any good is said when it is opened.
      () => undefined,
    )
  }, [link])
  const more = (
    <Button kind="quiet" onClick={onRestore}>
      {w.haveFile}
    </Button>
  )
  return (
    <ChooseName word={w.openChat} more={more}>
      <WhoInvites inviter={inviter.value} relay={URL.canParse(link) ? new URL(link).host : ''} />
    </ChooseName>
  )
}

function WhoInvites({ inviter, relay }: { inviter: Inviter | undefined; relay: string }): VNode {
  const w = onboardingWords.value
  if (!inviter?.name)
    return (
      <>
        <Gate size={72} />
        <h1 class="onboarding-title">{w.invited}</h1>
      </>
    )
  const { account, name, bot, avatar, about } = inviter
  return (
    <>
      <Avatar id={account} name={name} bot={bot} avatar={avatar} size="xl" />
      <div class="onboarding-who">
        <h1 class="onboarding-title">
          <NameText name={name} />
          {bot && <BotLabel />}
        </h1>
        <p class="onboarding-about">{w.invitesTo(relay)}</p>
      </div>
      {about && (
        <p class="onboarding-about" dir="auto">
          {about}
        </p>
      )}
    </>
  )
}
