// The groups in which the person has asked for a place, until an admin adds them.
import type { VNode } from 'preact'
import { call, useView } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { confirm } from '../parts/dialogs/dialogs.tsx'
import { Option } from '../parts/menus/option.tsx'
import { PageSection } from '../parts/page.tsx'
import { askedWords } from './asked-words.ts'

export function AskedJoins(): VNode | null {
  const w = askedWords.value
  const asked = useView('asked').value ?? []
  if (asked.length === 0) return null
  return (
    <>
      <PageSection title={w.asked} />
      {asked.map(({ account, token, title, name, state }) => (
        <Option
          key={`${account}/${token}`}
          icon="users"
          title={title}
          text={w.by(name)}
          aside={state === 'waiting' ? w.waiting : w.declined}
          onClick={() => begin(forget({ account, token }))}
        />
      ))}
    </>
  )
}

async function forget(asked: { account: string; token: string }): Promise<void> {
  const w = askedWords.value
  if (await confirm({ title: w.forgetAsk, text: w.forgetText, yes: w.forget, tone: 'warn', icon: 'triangle-alert' }))
    await call('forgetAsked', asked)
}
