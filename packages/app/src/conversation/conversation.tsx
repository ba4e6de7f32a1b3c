// The screen of a conversation.
import { type Signal, signal, useComputed, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { ChatDetail } from '../contract/objects.ts'
import { useSeenView, useView } from '../link/link.ts'
import { NotHere } from '../parts/dialogs/not-here.tsx'
import { lazyPart } from '../parts/lazy-part.tsx'
import { BotStart } from './bot-start.tsx'
import { DropHere } from './composer/files.tsx'
import './conversation.css'
import { Foot } from './foot.tsx'
import { Header } from './header/header.tsx'
import { returnToField, TalkContext, talkOf } from './talk.ts'
import { MessageWindow } from './window/message-window.tsx'
import { openingOf } from './window/opening.ts'
import { conversationWords } from './words.ts'

const ChatSearch = lazyPart(() => import('./header/chat-search.tsx').then(({ ChatSearch }) => ChatSearch))
const JoinRequests = lazyPart(() => import('./header/join-requests.tsx').then(({ JoinRequests }) => JoinRequests))
const SelectionBar = lazyPart(() => import('./header/selection-bar.tsx').then(({ SelectionBar }) => SelectionBar))

type ConversationProps = { chat: string; message?: string | undefined }

/** Another chat is another screen: no position, draft or menu is carried over. */
export const Conversation = ({ chat, message }: ConversationProps): VNode => (
  <section class="conversation">
    <Known key={chat} chat={chat} message={message} />
  </section>
)

function Known({ chat, message }: ConversationProps): VNode | null {
  const me = useView('me')
  const seen = useSeenView('chat', chat)
  const detail = useMemo(() => signal<ChatDetail | undefined>(undefined), [])
  detail.value = seen.value?.value ?? detail.peek()
  if (!seen.value || !me.value) return null
  if (!seen.value.value || !isKnown(detail))
    return <NotHere title={conversationWords.value.noChatTitle} text={conversationWords.value.noChat} />
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
  const isSelecting = useComputed(() => talk.selection.value !== undefined)
  const area = useRef<HTMLDivElement>(null)
  // Not while there is a text in the field: the app may learn late that this is a bot.
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
        {isSelecting.value ? (
          <SelectionBar />
        ) : isSearching.value ? (
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
        {detail.value.joinRequests && <JoinRequests chat={detail.value} people={detail.value.joinRequests} />}
        {isUnbegun.value ? <BotStart /> : <MessageWindow opening={opening} />}
        <Foot isUnbegun={isUnbegun.value} />
        {detail.value.state === 'active' && <DropHere talk={talk} area={area} />}
      </div>
    </TalkContext.Provider>
  )
}
