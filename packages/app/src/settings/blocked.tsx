// Whom one has blocked, and may let in again.
import type { VNode } from 'preact'
import { call, useView } from '../link/link.ts'
import { Avatar } from '../parts/avatar.tsx'
import { Bar, BarTitle } from '../parts/bar.tsx'
import { Button } from '../parts/button.tsx'
import { NameText } from '../parts/name-text.tsx'
import { Page, PageText } from '../parts/page.tsx'
import './blocked.css'
import { settingsWords } from './words.ts'

export function Blocked(): VNode {
  const w = settingsWords.value
  const people = useView('blocked').value ?? []
  return (
    <Page
      bar={
        <Bar>
          <BarTitle name={w.blocked} />
        </Bar>
      }
    >
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
