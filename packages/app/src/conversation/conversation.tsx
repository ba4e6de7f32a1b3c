// The screen on which one talks.
import { type Signal, signal, useComputed, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { ChatDetail } from '../contract/objects.ts'
import { useView, watch } from '../link/link.ts'
import { laterPart } from '../parts/later-part.tsx'
import { BotStart } from './bot-start.tsx'
import { DropHere } from './composer/files.tsx'
import './conversation.css'
import { Foot } from './foot.tsx'
import { Header } from './header/header.tsx'
import { returnToField, TalkContext, talkOf } from './talk.ts'
import { MessageWindow } from './window/message-window.tsx'
import { openingOf } from './window/opening.ts'
import { conversationWords } from './words.ts'

const ChatSearch = laterPart(() => import('./header/chat-search.tsx').then(({ ChatSearch }) => ChatSearch))

type Shown = { chat: string; message?: string | undefined }

/** Another chat is another screen: no position, draft or menu of one is carried into the next. */
export const Conversation = ({ chat, message }: Shown): VNode => (
  <section class="conversation">
    <Known key={chat} chat={chat} message={message} />
  </section>
)

function Known({ chat, message }: Shown): VNode | null {
  const me = useView('me')
  const seen = useSignal<{ detail: ChatDetail | undefined } | undefined>(undefined)
  useLayoutEffect(
    () =>
      watch('chat', [chat], detail => {
        seen.value = { detail }
      }),
    [chat],
  )
  const detail = useMemo(() => signal<ChatDetail | undefined>(undefined), [])
  detail.value = seen.value?.detail ?? detail.peek()
  if (!seen.value || !me.value) return null
  if (!seen.value.detail || !isKnown(detail)) return <p class="conversation-none">{conversationWords.value.noChat}</p>
  return <Open detail={detail} me={me.value.id} message={message} />
}

const isKnown = (detail: Signal<ChatDetail | undefined>): detail is Signal<ChatDetail> => detail.value !== undefined

type Opened = { detail: Signal<ChatDetail>; me: string; message: string | undefined }

function Open({ detail, me, message }: Opened): VNode {
  const { id } = detail.peek()
  const presses = useView('presses', id)
  const queued = useView('outgoing', id)
  const connection = useView('connection')
  const talk = useMemo(() => talkOf({ chat: detail, me, presses, connection, queued }), [])
  const opening = useMemo(() => openingOf(detail.peek(), message), [])
  const isSearching = useSignal(false)
  const area = useRef<HTMLDivElement>(null)
  // Not while something stands in the field: it may be learnt late that this is a bot.
  const isUnbegun = useComputed(
    () =>
      detail.value.bot !== undefined &&
      detail.value.isEmpty &&
      talk.outgoing.value?.length === 0 &&
      talk.compose.text.value === '',
  )
  useEffect(() => {
    if (message !== undefined) talk.jump.value = { to: 'message', id: message }
  }, [message])
  return (
    <TalkContext.Provider value={talk}>
      <div ref={area} class="conversation-open">
        {isSearching.value ? (
          <ChatSearch
            onClose={() => {
              isSearching.value = false
              returnToField(talk)
            }}
          />
        ) : (
          <Header
            onSearch={() => {
              isSearching.value = true
            }}
          />
        )}
        {isUnbegun.value ? <BotStart /> : <MessageWindow opening={opening} />}
        <Foot isUnbegun={isUnbegun.value} />
        {detail.value.state === 'active' && <DropHere talk={talk} area={area} />}
      </div>
    </TalkContext.Provider>
  )
}
