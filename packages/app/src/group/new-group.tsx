// Creates a group: its name and its members.
import { contentLimits, nameFault } from '@postern/protocol'
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { call, useView } from '../link/link.ts'
import { Button } from '../parts/fields/button.tsx'
import { TextField } from '../parts/fields/text-field.tsx'
import { Page, PageSection } from '../parts/page.tsx'
import { fromHere, go } from '../router.ts'
import { ChoosePeople } from './choose-people.tsx'
import { agreesToBots } from './warn-of-bots.ts'
import { groupWords } from './words.ts'

export function NewGroup(): VNode {
  const name = useSignal('')
  const chosen = useSignal<string[]>([])
  const contacts = useView('contacts')
  const w = groupWords.value
  const isSound = nameFault(name.value.trim(), contentLimits.groupNameCharsMax) === undefined
  const make = async (): Promise<void> => {
    const joining = contacts.value?.filter(({ id }) => chosen.value.includes(id)) ?? []
    if (!(await agreesToBots(joining, undefined))) return
    const whenHere = fromHere()
    const { chat } = await call('createGroup', { name: name.value.trim(), members: chosen.value })
    whenHere(() => go({ screen: 'chat', chat }, 'replace'))
  }
  return (
    <Page
      title={w.newGroup}
      foot={
        <Button disabled={!isSound || chosen.value.length === 0} onClick={make}>
          {w.make}
        </Button>
      }
    >
      <TextField
        label={w.name}
        value={name.value}
        maxLength={contentLimits.groupNameCharsMax}
        autofocus
        onInput={text => void (name.value = text)}
      />
      <PageSection title={w.chooseMembers} />
      <ChoosePeople chosen={chosen.value} onChange={next => void (chosen.value = next)} />
    </Page>
  )
}
