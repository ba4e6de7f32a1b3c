// The area below a conversation: the field, or the step that has to be done first.
import { START_COMMAND } from '@postern/protocol'
import type { VNode } from 'preact'
import { call, useView } from '../link/link.ts'
import { attempt } from '../parts/attempt.ts'
import { confirm } from '../parts/dialogs/dialogs.tsx'
import { Button, ButtonPair } from '../parts/fields/button.tsx'
import { fromHere, go } from '../router.ts'
import { Composer } from './composer/composer.tsx'
import { sendText } from './submit.ts'
import './foot.css'
import { blockPerson } from './header/chat-menu.tsx'
import { type Talk, useTalk } from './talk.ts'
import { conversationWords } from './words.ts'

export function Foot({ isUnbegun }: { isUnbegun: boolean }): VNode {
  const talk = useTalk()
  const w = conversationWords.value
  const blocked = useView('blocked')
  const chat = talk.chat.value
  if (blocked.value?.some(person => String(person.id) === chat.id))
    return (
      <Closed text={w.blocked}>
        <Button kind="plain" onClick={() => call('unblock', { account: chat.id })}>
          {w.unblock}
        </Button>
      </Closed>
    )
  if (chat.state === 'request') return <Request talk={talk} />
  if (chat.state === 'left') return <Closed text={w.left} />
  if (isUnbegun)
    return (
      <div class="foot">
        <Button autofocus onClick={() => sendText(talk, START_COMMAND)}>
          {w.start}
        </Button>
      </div>
    )
  return <Composer />
}

const Closed = ({ text, children }: { text: string; children?: VNode }): VNode => (
  <div class="foot">
    <p class="foot-text">{text}</p>
    {children}
  </div>
)

function Request({ talk }: { talk: Talk }): VNode {
  const w = conversationWords.value
  const { id, name, type } = talk.chat.value
  return (
    <div class="foot">
      <p class="foot-text">{type === 'group' ? w.requestGroup : w.requestFrom(name)}</p>
      {type === 'group' && talk.bots.value.size > 0 && <p class="foot-text foot-warning">{w.requestBots}</p>}
      <ButtonPair>
        <Button kind="plain" onClick={() => decline(id)}>
          {w.decline}
        </Button>
        <Button onClick={() => call('accept', { chat: id })}>{w.accept}</Button>
      </ButtonPair>
      {type === 'private' && (
        <Button kind="quiet" icon="ban" onClick={() => blockPerson({ id, name })}>
          {w.block}
        </Button>
      )}
    </div>
  )
}

async function decline(chat: string): Promise<void> {
  const w = conversationWords.value
  const yes = await confirm({ title: w.declineAsk, text: w.declineWhat, yes: w.decline, tone: 'danger' })
  const whenHere = fromHere()
  if (yes && (await attempt(call('decline', { chat })))) whenHere(() => go({ screen: 'chats' }, 'replace'))
}
