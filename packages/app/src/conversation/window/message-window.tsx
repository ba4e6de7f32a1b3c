// The scrolling conversation: days, rows, messages on their way out, and the button to the end.
import { useComputed, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { HistoryLine, Message } from '../../contract/objects.ts'
import { TimeText } from '../../parts/text/time-text.tsx'
import { AlbumRow } from '../rows/album-row.tsx'
import { GrowingRow } from '../rows/growing-row.tsx'
import { MessageRow } from '../rows/message-row.tsx'
import { NoticeRow } from '../rows/notice.tsx'
import { WaitingRow } from '../rows/outgoing-row.tsx'
import { type Talk, useTalk } from '../talk.ts'
import { conversationWords } from '../words.ts'
import { JumpButton } from './jump-button.tsx'
import './message-window.css'
import { nextFocusOf } from './next-focus.ts'
import type { OpeningPosition } from './opening.ts'
import { moveAmongRows } from './row-keys.ts'
import { isSameRow, type LaidDay, type LaidRow, layRows } from './row-layout.ts'
import { useAnnouncements } from './use-announcements.ts'
import { useWindow } from './use-window.ts'
import { isLookedAt } from './window-mover.ts'
import { idOf } from './window-state.ts'

export function MessageWindow({ opening }: { opening: OpeningPosition }): VNode {
  const talk = useTalk()
  const { list, rows, window, mover } = useWindow(opening)
  const hasOutgoing = useComputed(() => talk.outgoing.value?.length !== 0)
  const unreadFromTs = useUnreadLine(talk, opening)
  const days = useMemo(() => layRows(rows, unreadFromTs), [rows, unreadFromTs])
  const draw = useDrawnRows(days)
  useLayoutEffect(() => shareRows(talk, rows, window?.quoted), [rows, window?.quoted])
  useAnnouncements(talk, window)
  return (
    <div class="window">
      <div
        ref={list}
        class={mover.isScrolling.value ? 'window-scroller window-scroller-moving' : 'window-scroller'}
        role="log"
        aria-live="off"
        aria-label={conversationWords.value.log}
        onScroll={() => mover.scrolled()}
        onKeyDown={event => moveAmongRows(talk, event)}
      >
        <div class="window-rows">
          {days.map(day => (
            <Day key={new Date(day.ts).toDateString()} day={day} draw={draw} />
          ))}
          {window && rows.length === 0 && !hasOutgoing.value && (
            <p class="window-empty">{conversationWords.value.emptyChat}</p>
          )}
          {window?.growing?.map(growing => (
            <GrowingRow key={growing.person.id} growing={growing} before={rows.at(-1)} />
          ))}
          {window?.hasNewer === false && <OutgoingRows />}
        </div>
      </div>
      {mover.isAway.value && <JumpButton />}
    </div>
  )
}

const Day = ({ day, draw }: { day: LaidDay; draw: (laid: LaidRow) => VNode }): VNode => (
  <section class="window-day">
    <h2 class="window-day-name">
      <TimeText ts={day.ts} as="day" />
    </h2>
    {day.rows.map(draw)}
  </section>
)

/** All but one or two rows of a full window are unchanged: those are not even compared. */
function useDrawnRows(days: readonly LaidDay[]): (laid: LaidRow) => VNode {
  const drawn = useRef(new Map<string, { laid: LaidRow; node: VNode }>())
  const before = drawn.current
  drawn.current = new Map(
    days.flatMap(day =>
      day.rows.map(laid => {
        const known = before.get(laid.id)
        const isSame = known && isSameRow(known.laid, laid)
        return [laid.id, isSame ? known : { laid, node: <DrawnRow key={laid.id} {...laid} /> }] as const
      }),
    ),
  )
  return laid => drawn.current.get(laid.id)?.node ?? <DrawnRow key={laid.id} {...laid} />
}

const DrawnRow = ({ row, rest, startsGroup, endsGroup, isFirstUnread, id }: LaidRow): VNode => (
  <>
    {isFirstUnread && (
      <div class="window-unread" role="separator">
        {conversationWords.value.newMessages}
      </div>
    )}
    {row.kind === 'message' ? (
      <SaidRow messages={[row.message, ...rest]} startsGroup={startsGroup} endsGroup={endsGroup} />
    ) : (
      <div class="window-notice" data-id={id}>
        <NoticeRow notice={row.notice} />
      </div>
    )}
  </>
)

type SaidRowProps = Parameters<typeof AlbumRow>[0]

/** Nothing of a request is fetched or decoded: each file is a line with its name. Messages are selected one by one. */
function SaidRow({ messages, ...sides }: SaidRowProps): VNode {
  const { isRequest, selection } = useTalk()
  const isSelecting = useComputed(() => selection.value !== undefined)
  if (messages.length > 1 && !isRequest.value && !isSelecting.value) return <AlbumRow messages={messages} {...sides} />
  return (
    <>
      {messages.map(message => (
        <MessageRow key={message.id} message={message} {...sides} />
      ))}
    </>
  )
}

/** Separate: a message on its way changes several times, and the rows above it do not. */
function OutgoingRows(): VNode {
  const { outgoing } = useTalk()
  return (
    <>
      {outgoing.value?.map((one, index) => (
        <WaitingRow key={one.key} outgoing={one} startsGroup={index === 0} />
      ))}
    </>
  )
}

/** The line stays where it was when the conversation was opened, or when nobody looked; sending a message removes it. */
function useUnreadLine(talk: Talk, opening: OpeningPosition): number | undefined {
  const fromTs = useSignal(opening.unreadFromTs)
  const unread = talk.chat.value.firstUnread
  useEffect(() => {
    if (fromTs.peek() === undefined && unread && !isLookedAt()) fromTs.value = unread.ts
  }, [unread?.ts])
  useEffect(
    () =>
      talk.sent.subscribe(count => {
        if (count > 0) fromTs.value = undefined
      }),
    [],
  )
  return fromTs.value
}

/** Quotes read their messages from here; the arrows need a row that Tab reaches. */
function shareRows(talk: Talk, rows: readonly HistoryLine[], quoted: Record<string, Message> = {}): void {
  const inWindow = rows.flatMap(row => (row.kind === 'message' ? [row.message] : []))
  const before = [...talk.messages.peek().keys()]
  talk.messages.value = new Map([...Object.values(quoted), ...inWindow].map(message => [message.id, message]))
  const active = talk.activeRow.peek()
  const isHeld = document.activeElement?.getAttribute('data-id') === active
  if (!isHeld || !rows.some(row => idOf(row) === active)) talk.activeRow.value = inWindow.at(-1)?.id
  // The focus is lost with its row: the keyboard continues at the next one, not at the top of the page.
  if (document.activeElement === document.body)
    focusRow(nextFocusOf(active, before, new Set(inWindow.map(({ id }) => id))))
}

const focusRow = (id: string | undefined): void =>
  document.querySelector<HTMLElement>(`article[data-id="${CSS.escape(id ?? '')}"]`)?.focus({ preventScroll: true })
