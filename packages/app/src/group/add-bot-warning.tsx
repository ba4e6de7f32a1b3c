// The warning before a bot joins a group: what its owner will see.
import type { ComponentChildren, VNode } from 'preact'
import { Dialog, DialogText } from '../parts/dialogs/dialog.tsx'
import { ask } from '../parts/dialogs/dialogs.tsx'
import { Button, ButtonPair } from '../parts/fields/button.tsx'
import { Icon, type IconName } from '../parts/icons/icon.tsx'
import './add-bot-warning.css'
import { groupWords } from './words.ts'
import '../parts/icons/with-lazy-icons.ts'

export type JoiningBot = {
  bot: string
  /** Absent while the group is being created. */
  group?: { name: string; members: number }
}

/** False unless the person agrees. The focus is on Cancel. */
export const warnOfBot = (joining: JoiningBot): Promise<boolean> =>
  ask(answer => <AddBotWarning joining={joining} onAnswer={answer} />)

function AddBotWarning({ joining, onAnswer }: { joining: JoiningBot; onAnswer: (yes: boolean) => void }): VNode {
  const { bot, group } = joining
  const w = groupWords.value
  const [before, all, after] = w.botReads
  return (
    <Dialog
      title={group ? w.addBotTitle(bot, group.name) : w.addBotTo(bot)}
      icon="triangle-alert"
      tone="warn"
      onClose={() => onAnswer(false)}
    >
      <DialogText>{w.addBotText}</DialogText>
      <ul class="add-bot-facts">
        <Fact icon="eye">
          {before}
          <strong>{all}</strong>
          {after}
        </Fact>
        <Fact icon="users">{group ? w.botSees(group.members) : w.botSeesNames}</Fact>
        <Fact icon="rotate-ccw-clock">{w.botPast}</Fact>
      </ul>
      <ButtonPair>
        <Button kind="plain" autofocus onClick={() => onAnswer(false)}>
          {w.cancel}
        </Button>
        <Button onClick={() => onAnswer(true)}>{w.addBot}</Button>
      </ButtonPair>
    </Dialog>
  )
}

const Fact = ({ icon, children }: { icon: IconName; children: ComponentChildren }): VNode => (
  <li class="add-bot-fact">
    <Icon name={icon} />
    <span>{children}</span>
  </li>
)
