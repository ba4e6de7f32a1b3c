// A list of contacts from which several can be chosen.
import type { VNode } from 'preact'
import { useView } from '../link/link.ts'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { PageText } from '../parts/page.tsx'
import { BotLabel } from '../parts/text/bot-label.tsx'
import { NameText } from '../parts/text/name-text.tsx'
import './choose-people.css'
import { groupWords } from './words.ts'

type ChoosePeopleProps = {
  chosen: readonly string[]
  /** Those who are already in it. */
  without?: readonly string[]
  onChange: (chosen: string[]) => void
}

export function ChoosePeople({ chosen, without = [], onChange }: ChoosePeopleProps): VNode {
  const contacts = useView('contacts').value
  const offered = contacts?.filter(({ id }) => !without.includes(id)) ?? []
  if (contacts && offered.length === 0) return <PageText>{groupWords.value.nobody}</PageText>
  return <ChooseList label={groupWords.value.chooseMembers} offered={offered} chosen={chosen} onChange={onChange} />
}

type ChooseListProps = {
  label: string
  offered: readonly { id: string; name: string; bot: boolean }[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

export function ChooseList({ label, offered, chosen, onChange }: ChooseListProps): VNode {
  const toggle = (id: string, isOn: boolean) => onChange(isOn ? [...chosen, id] : chosen.filter(other => other !== id))
  return (
    <ul class="choose-people" aria-label={label}>
      {offered.map(({ id, name, bot }) => (
        <li key={id}>
          <label class="choose-people-row">
            <Avatar id={id} name={name} bot={bot} size="s" />
            <span class="choose-people-name">
              <NameText name={name} />
              {bot && <BotLabel />}
            </span>
            <input
              class="choose-people-mark"
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={event => toggle(id, event.currentTarget.checked)}
            />
          </label>
        </li>
      ))}
    </ul>
  )
}
