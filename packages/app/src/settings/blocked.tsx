// The blocked people, who can be unblocked.
import type { VNode } from 'preact'
import { call, useView } from '../link/link.ts'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { Button } from '../parts/fields/button.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { NameText } from '../parts/text/name-text.tsx'
import './blocked.css'
import { settingsWords } from './words.ts'

export function Blocked(): VNode {
  const w = settingsWords.value
  const people = useView('blocked').value ?? []
  return (
    <Page title={w.blocked}>
      <PageText>{people.length === 0 ? w.nobodyBlocked : w.blockedText}</PageText>
      <ul>
        {people.map(({ id, name }) => (
          <li class="blocked-row" key={id}>
            <Avatar id={id} name={name} />
            <span class="blocked-name">
              <NameText name={name} />
            </span>
            <span class="blocked-free">
              <Button kind="plain" onClick={() => call('unblock', { account: id })}>
                {w.unblock}
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </Page>
  )
}
