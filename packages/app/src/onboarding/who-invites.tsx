// The owner of an invite link, as far as the relay knows, and what that person will learn about the person who follows it.
import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { AppCallAnswer } from '../contract/calls.ts'
import { call } from '../link/link.ts'
import { askUntilAnswered } from '../parts/ask-until.ts'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { shortNameOf } from '../parts/avatar/face.ts'
import { Logo } from '../parts/icons/logo.tsx'
import { BotLabel } from '../parts/text/bot-label.tsx'
import { NameText } from '../parts/text/name-text.tsx'
import './onboarding.css'
import { onboardingWords } from './words.ts'

export type Inviter = AppCallAnswer<'previewInvite'>

/** Fetched while the link is shown. Reading a profile reveals nothing about the reader. */
export function useInviter(link: string): ReadonlySignal<Inviter | undefined> {
  const inviter = useSignal<Inviter | undefined>(undefined)
  useEffect(() => {
    inviter.value = undefined
    return askUntilAnswered(() => call('previewInvite', { link }), {
      answered: found => {
        inviter.value = found
      },
      // A bad link is reported when it is opened.
      refused: () => undefined,
    })
  }, [link])
  return inviter
}

/** On the button that opens the chat. */
export const startWord = (inviter: Inviter | undefined): string =>
  inviter?.name ? onboardingWords.value.startWith(shortNameOf(inviter.name)) : onboardingWords.value.start

/** `whose`: a newcomer has no picture yet. */
export function WhatTheyLearn({ inviter, whose }: { inviter: Inviter | undefined; whose: 'newcomer' | 'own' }): VNode {
  const w = onboardingWords.value
  const say = whose === 'own' ? w.theyLearn : w.theyLearnName
  return <p class="onboarding-note">{say(inviter?.name ? shortNameOf(inviter.name) : w.theInviter)}</p>
}

export function WhoInvites({ inviter, link }: { inviter: Inviter | undefined; link: string }): VNode {
  const w = onboardingWords.value
  if (!inviter?.name)
    return (
      <>
        <Logo size={72} />
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
        <p class="onboarding-about">{w.invitesTo(URL.canParse(link) ? new URL(link).host : '')}</p>
      </div>
      {about && (
        <p class="onboarding-about" dir="auto">
          {about}
        </p>
      )}
    </>
  )
}
