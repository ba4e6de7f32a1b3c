// Asks for the chats that messages are forwarded to, and forwards them.
import { appLimits } from '@postern/protocol'
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { ChatLine, Message } from '../../contract/objects.ts'
import { ChooseList } from '../../group/choose-people.tsx'
import { call, useView } from '../../link/link.ts'
import { attempt } from '../../parts/attempt.ts'
import { Dialog, DialogText } from '../../parts/dialogs/dialog.tsx'
import { ask } from '../../parts/dialogs/dialogs.tsx'
import { Button, ButtonPair } from '../../parts/fields/button.tsx'
import { TextField } from '../../parts/fields/text-field.tsx'
import { showToast } from '../../parts/toasts/toast-list.ts'
import './forward.css'
import { selectingWords } from './words.ts'

/** More chats than that need a search. */
const LISTED_WITHOUT_SEARCH = 6

/** True once they are in the queue. */
export async function forward(messages: readonly Message[]): Promise<boolean> {
  const w = selectingWords.value
  const [first] = messages
  const refusal = refusalOf(messages)
  if (refusal) showToast({ kind: 'note', text: refusal })
  if (refusal || !first) return false
  const to = await ask<string[]>(answer => <ForwardDialog answer={answer} />)
  if (to.length === 0) return false
  const asked = { chat: first.chat_id, messages: messages.map(({ id }) => id), to }
  const isDone = (await attempt(call('forward', asked))) !== undefined
  if (isDone) showToast({ kind: 'note', text: w.forwarding })
  return isDone
}

function refusalOf(messages: readonly Message[]): string | undefined {
  const w = selectingWords.value
  if (messages.some(({ poll }) => poll)) return w.noPolls
  return messages.length > appLimits.forwardedMax ? w.tooMany(appLimits.forwardedMax) : undefined
}

function ForwardDialog({ answer }: { answer: (to: string[]) => void }): VNode {
  const w = selectingWords.value
  const chats = useView('chats').value?.filter(({ state, blocked }) => state === 'active' && !blocked) ?? []
  const chosen = useSignal<string[]>([])
  const search = useSignal('')
  const wanted = search.value.trim().toLocaleLowerCase()
  const offered = chats.filter(({ name }) => name.toLocaleLowerCase().includes(wanted))
  return (
    <Dialog title={w.forwardTo} icon="forward" onClose={() => answer([])}>
      {chats.length > LISTED_WITHOUT_SEARCH && (
        <TextField label={w.search} value={search.value} onInput={value => void (search.value = value)} />
      )}
      {offered.length === 0 ? (
        <DialogText>{w.noChats}</DialogText>
      ) : (
        <div class="forward-chats">
          <ChooseList
            label={w.chats}
            offered={offered.map(line => ({ id: line.id, name: line.name, bot: isBot(line) }))}
            chosen={chosen.value}
            onChange={next => void (chosen.value = next.slice(0, appLimits.forwardedToMax))}
          />
        </div>
      )}
      <DialogText>{w.unnamed}</DialogText>
      <ButtonPair>
        <Button kind="plain" onClick={() => answer([])}>
          {w.cancel}
        </Button>
        <Button disabled={chosen.value.length === 0} onClick={() => answer(chosen.value)}>
          {w.forward}
        </Button>
      </ButtonPair>
    </Dialog>
  )
}

const isBot = ({ type, members }: ChatLine): boolean => type === 'private' && members.some(({ bot }) => bot)
