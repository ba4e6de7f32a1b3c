// A person without an account came by an invite link: the inviter, then the name. The one button creates the account
// and opens the chat.
import type { VNode } from 'preact'
import { Button } from '../parts/fields/button.tsx'
import { agree, askAgain } from './arrival.ts'
import { ChooseName } from './choose-name.tsx'
import { startWord, useInviter, WhatTheyLearn, WhoInvites } from './who-invites.tsx'
import { onboardingWords } from './words.ts'

export function ByInvite({ link, onRestore }: { link: string; onRestore: () => void }): VNode {
  const inviter = useInviter(link).value
  const more = (
    <Button kind="quiet" onClick={onRestore}>
      {onboardingWords.value.haveFile}
    </Button>
  )
  return (
    <ChooseName
      word={startWord(inviter, link)}
      note={<WhatTheyLearn inviter={inviter} link={link} whose="newcomer" />}
      more={more}
      onChosen={agree}
      onRefused={askAgain}
    >
      <WhoInvites inviter={inviter} link={link} />
    </ChooseName>
  )
}
