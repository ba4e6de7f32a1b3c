// The conversation as it scrolls: days, rows, what is on its way out, and the way down.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import type { HistoryRow, Message, Outgoing } from '../../contract/objects.ts'
import { useView } from '../../link/link.ts'
import { TimeText } from '../../parts/time-text.tsx'
import { MessageRow } from '../rows/message-row.tsx'
import { NoticeRow } from '../rows/notice.tsx'
import { WaitingRow } from '../rows/outgoing-row.tsx'
import { type Talk, useTalk } from '../talk.ts'
import { conversationWords } from '../words.ts'
import { JumpButton } from './jump-button.tsx'
import './message-window.css'
import { heirOf } from './heir.ts'
import type { Opening } from './opening.ts'
import { moveAmongRows } from './row-keys.ts'
import { type LaidDay, type LaidRow, layRows } from './row-layout.ts'
import { useHeard } from './use-heard.ts'
import { useWindow } from './use-window.ts'
import { isLookedAt } from './window-mover.ts'
import { idOf } from './window-state.ts'

export function MessageWindow({ opening }: { opening: Opening }): VNode {
  const talk = useTalk()
  const { list, rows, window, mover } = useWindow(opening)
  const outgoing = useView('outgoing', talk.chat.peek().id)
  const unreadFromTs = useUnreadLine(talk, opening)
  const days = useMemo(() => layRows(rows, unreadFromTs), [rows, unreadFromTs])
  useLayoutEffect(() => shareRows(talk, rows, window?.quoted), [rows, window?.quoted])
  useHeard(talk, window)
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
            <Day key={new Date(day.ts).toDateString()} day={day} />
          ))}
          {window && rows.length === 0 && outgoing.value?.length === 0 && (
            <p class="window-empty">{conversationWords.value.emptyChat}</p>
          )}
          {window?.hasNewer === false && <OutgoingRows outgoing={outgoing.value ?? []} />}
        </div>
      </div>
      {mover.isAway.value && <JumpButton />}
    </div>
  )
}

const Day = ({ day }: { day: LaidDay }): VNode => (
  <section class="window-day">
    <h2 class="window-day-name">
      <TimeText ts={day.ts} as="day" />
    </h2>
    {day.rows.map(laid => (
      <Row key={laid.id} {...laid} />
    ))}
  </section>
)

/** Drawn again when it is another: of a full window all but one or two rows are as they were. */
const Row = (laid: LaidRow): VNode =>
  useMemo(() => <DrawnRow {...laid} />, [laid.row, laid.startsGroup, laid.endsGroup, laid.isFirstUnread])

const DrawnRow = ({ row, startsGroup, endsGroup, isFirstUnread, id }: LaidRow): VNode => (
  <>
    {isFirstUnread && (
      <div class="window-unread" role="separator">
        {conversationWords.value.newMessages}
      </div>
    )}
    {row.kind === 'message' ? (
      <MessageRow message={row.message} startsGroup={startsGroup} endsGroup={endsGroup} />
    ) : (
      <div class="window-notice" data-id={id}>
        <NoticeRow notice={row.notice} />
      </div>
    )}
  </>
)

const OutgoingRows = ({ outgoing }: { outgoing: readonly Outgoing[] }): VNode => (
  <>
    {outgoing.map((one, index) => (
      <WaitingRow key={one.key} outgoing={one} startsGroup={index === 0} />
    ))}
  </>
)

/** The line stays where it was when the conversation was opened, or when nobody looked; whoever answers has read. */
function useUnreadLine(talk: Talk, opening: Opening): number | undefined {
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

/** Quotes read what they reply to from here; the arrows need a row that Tab reaches. */
function shareRows(talk: Talk, rows: readonly HistoryRow[], quoted: Record<string, Message> = {}): void {
  const inWindow = rows.flatMap(row => (row.kind === 'message' ? [row.message] : []))
  const before = [...talk.messages.peek().keys()]
  talk.messages.value = new Map([...Object.values(quoted), ...inWindow].map(message => [message.id, message]))
  const active = talk.activeRow.peek()
  const isHeld = document.activeElement?.getAttribute('data-id') === active
  if (!isHeld || !rows.some(row => idOf(row) === active)) talk.activeRow.value = inWindow.at(-1)?.id
  // With the row that had it the focus is gone: the keyboard goes on at the next one, not at the top of the page.
  if (document.activeElement === document.body) focusRow(heirOf(active, before, new Set(inWindow.map(({ id }) => id))))
}

const focusRow = (id: string | undefined): void =>
  document.querySelector<HTMLElement>(`article[data-id="${CSS.escape(id ?? '')}"]`)?.focus({ preventScroll: true })
