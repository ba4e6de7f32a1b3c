// Adds people and bots to an existing group.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { call, useView } from '../link/link.ts'
import { Bar, BarTitle } from '../parts/bar.tsx'
import { Button } from '../parts/fields/button.tsx'
import { Page } from '../parts/page.tsx'
import { fromHere, goBack } from '../router.ts'
import { ChoosePeople } from './choose-people.tsx'
import { agreesToBots } from './warn-of-bots.ts'
import { groupWords } from './words.ts'

export function AddMembers({ chat }: { chat: string }): VNode {
  const group = useView('chat', chat).value
  const contacts = useView('contacts')
  const chosen = useSignal<string[]>([])
  const w = groupWords.value
  const add = async (): Promise<void> => {
    if (!group) return
    const joining = contacts.value?.filter(({ id }) => chosen.value.includes(id)) ?? []
    if (!(await agreesToBots(joining, { name: group.name, members: group.members.length }))) return
    const whenHere = fromHere()
    await call('addMembers', { chat, members: chosen.value })
    whenHere(goBack)
  }
  return (
    <Page
      bar={
        <Bar>
          <BarTitle name={w.addMembers} sub={<bdi>{group?.name}</bdi>} />
        </Bar>
      }
      foot={
        <Button disabled={chosen.value.length === 0 || !group} onClick={add}>
          {w.add}
        </Button>
      }
    >
      {group && (
        <ChoosePeople
          chosen={chosen.value}
          without={group.members.map(({ id }) => id)}
          onChange={next => void (chosen.value = next)}
        />
      )}
    </Page>
  )
}
