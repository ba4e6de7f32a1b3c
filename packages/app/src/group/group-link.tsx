// The person's own link to a group: people ask by it for a place, and the person decides.
import type { VNode } from 'preact'
import { call, useView } from '../link/link.ts'
import { confirm } from '../parts/dialogs/dialogs.tsx'
import { Button } from '../parts/fields/button.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { ShareButtons, SharedLink } from '../parts/qr/shared-link.tsx'
import { groupLinkWords } from './link-words.ts'
import '../parts/icons/with-lazy-icons.ts'

/** The newest one, if a scripted client has made several. Nothing is made before the person presses. */
export function GroupLink({ chat }: { chat: string }): VNode {
  const w = groupLinkWords.value
  const links = useView('groupLinks', chat).value
  const group = useView('chat', chat).value
  const me = useView('me').value
  const link = links?.at(-1)
  const isAdmin = group?.state === 'active' && group.members.some(({ id, admin }) => id === me?.id && admin)
  const foot = link ? (
    <>
      <ShareButtons url={link.url} />
      <Button kind="quiet" icon="circle-x" onClick={() => revoke(chat, link.token)}>
        {w.revoke}
      </Button>
    </>
  ) : (
    <Button icon="link" disabled={!links} onClick={() => call('makeGroupLink', { chat })}>
      {w.make}
    </Button>
  )
  return (
    <Page title={w.title} {...(isAdmin && { foot })}>
      {link && isAdmin && <SharedLink url={link.url} label={w.code} />}
      <PageText>{isAdmin || !group ? w.text : w.noAdmin}</PageText>
    </Page>
  )
}

async function revoke(chat: string, token: string): Promise<void> {
  const w = groupLinkWords.value
  const yes = await confirm({
    title: w.revokeAsk,
    text: w.revokeText,
    yes: w.revoke,
    tone: 'warn',
    icon: 'triangle-alert',
  })
  if (yes) await call('revokeGroupLink', { chat, token })
}
