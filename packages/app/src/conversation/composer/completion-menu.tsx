// The list above the field: commands with their descriptions, or members of the group.
import type { VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Avatar } from '../../parts/avatar/avatar.tsx'
import { BotLabel } from '../../parts/text/bot-label.tsx'
import { NameText } from '../../parts/text/name-text.tsx'
import type { Completion } from '../writing/completion.ts'
import './completion-menu.css'
import { composerWords } from './words.ts'

export const LIST_ID = 'completion-menu'
export const choiceId = (index: number): string => `completion-${index}`

type CompletionMenuProps = { choices: readonly Completion[]; at: number; onChoose: (choice: Completion) => void }

export function CompletionMenu({ choices, at, onChoose }: CompletionMenuProps): VNode {
  const w = composerWords.value
  const list = useRef<HTMLUListElement>(null)
  useLayoutEffect(() => list.current?.children[at]?.scrollIntoView({ block: 'nearest' }), [at])
  return (
    <ul
      ref={list}
      class="completion-menu"
      id={LIST_ID}
      role="listbox"
      // Long lists scroll: without a pointer there is no other way to read further.
      tabIndex={0}
      aria-label={choices[0]?.kind === 'member' ? w.people : w.commands}
    >
      {choices.map((choice, index) => (
        <li
          key={keyOf(choice)}
          id={choiceId(index)}
          class={index === at ? 'completion completion-on' : 'completion'}
          role="option"
          aria-selected={index === at}
          // The field keeps the focus, and a phone its keyboard.
          onPointerDown={event => event.preventDefault()}
          onClick={() => onChoose(choice)}
        >
          {choice.kind === 'member' ? (
            <Member choice={choice} />
          ) : (
            <>
              <span class="completion-command" dir="ltr">
                <bdi>{choice.written}</bdi>
                {choice.command.args !== undefined && <bdi class="completion-args">{choice.command.args}</bdi>}
              </span>
              <span class="completion-text" dir="auto">
                {choice.command.description}
              </span>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

const Member = ({ choice }: { choice: Extract<Completion, { kind: 'member' }> }): VNode => (
  <span class="completion-member">
    <Avatar id={choice.id} name={choice.name} bot={choice.bot} size="xs" />
    <NameText name={choice.name} />
    {choice.bot && <BotLabel />}
  </span>
)

const keyOf = (choice: Completion): string =>
  choice.kind === 'member' ? choice.id : `${choice.bot?.id ?? ''}/${choice.command.name}`
