// The owner of an invite link, as far as the relay knows, and what that person will learn about the person who follows it.
import { isStartLink, START_COMMAND } from '@postern/protocol'
import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { AppCallAnswer } from '../contract/calls.ts'
import { call } from '../link/link.ts'
import { relayHost } from '../link/relay-url.ts'
import { askUntilAnswered } from '../parts/ask-until.ts'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { shortNameOf } from '../parts/avatar/face.ts'
import { Logo } from '../parts/icons/logo.tsx'
import { BotLabel } from '../parts/text/bot-label.tsx'
import { NameText } from '../parts/text/name-text.tsx'
import { isToGroup } from './arrival.ts'
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
      // The owner of a new account shows the link before the relay has the profile.
      isComplete: ({ name }) => name !== '',
      // A bad link is reported when it is opened.
      refused: () => undefined,
    })
  }, [link])
  return inviter
}

/** A link that was opened on this page has the page's host, which need not be that of the relay. */
function relayIn(link: string): string {
  const host = URL.canParse(link) ? new URL(link).host : ''
  return host === location.host ? relayHost() : host
}

/** On the button that opens the chat, or asks for a place. */
export const startWord = (inviter: Inviter | undefined, link: string): string =>
  isToGroup(link) ? onboardingWords.value.askToJoin : startChat(inviter)

const startChat = (inviter: Inviter | undefined): string =>
  inviter?.name ? onboardingWords.value.startWith(shortNameOf(inviter.name)) : onboardingWords.value.start

type InvitingLink = { inviter: Inviter | undefined; link: string }

/** `whose`: a newcomer has no picture yet. */
export function WhatTheyLearn({ inviter, link, whose }: InvitingLink & { whose: 'newcomer' | 'own' }): VNode {
  const w = onboardingWords.value
  const isGroup = isToGroup(link)
  const sentences = isGroup
    ? { own: w.adminLearns, newcomer: w.adminLearnsName }
    : { own: w.theyLearn, newcomer: w.theyLearnName }
  return (
    <p class="onboarding-note">
      {sentences[whose](inviter?.name ? shortNameOf(inviter.name) : w.theInviter)}{' '}
      {!isGroup && isStartLink(link) && w.theyLearnLink(START_COMMAND)}
    </p>
  )
}

export function WhoInvites({ inviter, link }: InvitingLink): VNode {
  const w = onboardingWords.value
  if (!inviter?.name)
    return (
      <>
        <Logo size={72} />
        <h1 class="onboarding-title">{isToGroup(link) ? w.invitedToGroup : w.invited}</h1>
      </>
    )
  const { account, name, bot, avatar, about, group } = inviter
  const relay = relayIn(link)
  return (
    <>
      <Avatar id={account} name={name} bot={bot} avatar={avatar} size="xl" />
      <div class="onboarding-who">
        <h1 class="onboarding-title">
          <NameText name={name} />
          {bot && <BotLabel />}
        </h1>
        <p class="onboarding-about">{group === undefined ? w.invitesTo(relay) : w.madeLink(group, relay)}</p>
      </div>
      {about && (
        <p class="onboarding-about" dir="auto">
          {about}
        </p>
      )}
    </>
  )
}
