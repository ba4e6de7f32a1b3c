// Moves the window over a conversation, keeps what is seen in its place, goes where it is told, and marks what was read.
import { type Signal, signal } from '@preact/signals'
import type { HistoryWindow } from '../../contract/objects.ts'
import type { HistoryAnchor } from '../../contract/views.ts'
import { call } from '../../link/link.ts'
import { begin } from '../../parts/attempt.ts'
import { showToast } from '../../parts/toasts/toast-list.ts'
import { touched } from '../../router.ts'
import type { Jump, Talk } from '../talk.ts'
import { pageTiming } from '../timing.ts'
import { conversationWords } from '../words.ts'
import type { OpeningPosition } from './opening.ts'
import { ReadMarks } from './reading.ts'
import { ScrollKeeper } from './scroll-keeper.ts'
import { markStuckDays, scrolledList } from './scrolled-list.ts'
import { END, endRowsFor, idOf, nextAnchor, tsOf, unreadAmong } from './window-state.ts'

/** Where a change of the window is to end; `before` is the window from which it was asked. */
type Goal = { jump: Jump; block: 'center' | 'start'; before?: HistoryWindow | undefined }

export const isLookedAt = (): boolean => document.visibilityState === 'visible' && document.hasFocus()

/** The day that hangs at the top is shown for so long after the last scrolling. */
const DAY_SHOWN_MS = 900
const lookEvents = ['focus', 'blur', 'visibilitychange'] as const

export class WindowMover {
  readonly anchor: Signal<HistoryAnchor>
  /** So many rows at most while the end is shown. */
  readonly endRows = signal(endRowsFor(innerHeight))
  /** Whether the newest message is out of sight. */
  readonly isAway = signal(false)
  /** While it scrolls, and a moment longer. */
  readonly isScrolling = signal(false)
  readonly #talk: Talk
  readonly #reading: ReadMarks
  #list: HTMLElement | undefined
  #kept: ScrollKeeper | undefined
  #shown: HistoryWindow | undefined
  #goal: Goal | undefined
  #stopShowing: (() => void) | undefined
  /** The window from which another one was asked: until that comes, none is asked again. */
  #askedFrom: HistoryWindow | undefined

  constructor(talk: Talk, opening: OpeningPosition) {
    this.#talk = talk
    this.#goal = opening.goal
    this.anchor = signal(opening.anchor)
    const chat = talk.chat.peek().id
    this.#reading = new ReadMarks(pageTiming, upTo => begin(call('read', { chat, upTo })))
  }

  /** Gives what ends it. */
  attach(list: HTMLElement): () => void {
    this.#list = list
    this.#kept = new ScrollKeeper(scrolledList(list))
    this.#kept.follows = this.#goal === undefined
    // Pictures that come, a keyboard that opens, a field that grows: none of them is a change of the rows.
    const observer = new ResizeObserver(() => {
      // Never less: a keyboard that opens and closes would have the rows asked for each time.
      this.endRows.value = Math.max(this.endRows.peek(), endRowsFor(list.clientHeight))
      this.#settle()
    })
    for (const element of [list, ...list.children]) observer.observe(element)
    const look = (): void => this.#look()
    for (const name of lookEvents) addEventListener(name, look)
    const stopJumps = this.#talk.jump.subscribe(jump => this.#begin(jump))
    // A new message may stand here before the chat tells that it was not read.
    const stopChat = this.#talk.chat.subscribe(look)
    const stopTouch = touched.subscribe(look)
    return () => {
      observer.disconnect()
      for (const name of lookEvents) removeEventListener(name, look)
      stopJumps()
      stopChat()
      stopTouch()
      this.#reading.stop()
      this.#stopShowing?.()
    }
  }

  /** Before the rows are changed: afterwards nobody knows where they stood. */
  note(): void {
    this.#kept?.noteScrolled()
  }

  /** The rows of a window stand in the document. */
  show(window: HistoryWindow | undefined): void {
    this.#shown = window
    this.#settle()
  }

  scrolled(): void {
    if (!this.#kept) return
    if (this.#kept.isMovedByHand()) {
      this.#kept.follows = this.#kept.isAtEnd() && this.#shown?.hasNewer === false
      this.#showDay()
    }
    this.#kept.note()
    this.#look()
  }

  #settle(): void {
    if (!this.#kept || !this.#shown) return
    if (this.#goal) this.#reach(this.#kept, this.#shown, this.#goal)
    else this.#kept.restore()
    this.#kept.note()
    this.#look()
  }

  #look(): void {
    const [kept, shown] = [this.#kept, this.#shown]
    if (!kept || !shown || this.#goal) return
    if (this.#list) markStuckDays(this.#list)
    const sight = kept.sight()
    this.isAway.value = shown.hasNewer || !sight.isAtEnd
    if (shown !== this.#askedFrom) this.#move(nextAnchor(shown, this.anchor.peek(), sight))
    // Who does not look at the page has read nothing on it, and a page that an address has opened is looked at by nobody yet.
    this.#reading.see(
      isLookedAt() && touched.value ? unreadAmong(shown.rows, this.#talk.chat.peek(), () => kept.wholeRows()) : [],
    )
  }

  #showDay(): void {
    this.isScrolling.value = true
    this.#stopShowing?.()
    this.#stopShowing = pageTiming.after(DAY_SHOWN_MS, () => {
      this.isScrolling.value = false
    })
  }

  #move(to: HistoryAnchor): void {
    if (to === this.anchor.peek()) return
    this.#askedFrom = this.#shown
    this.anchor.value = to
  }

  #begin(jump: Jump | undefined): void {
    if (!jump) return
    this.#talk.jump.value = undefined
    this.#goal = { jump, block: 'center', before: this.#shown }
    const isHere = jump.to === 'end' ? this.anchor.peek().at === 'end' : this.#kept?.has(jump.id)
    if (isHere) this.#settle()
    else this.#move(jump.to === 'end' ? END : { at: jump.ts ?? 0, message: jump.id })
  }

  #reach(kept: ScrollKeeper, shown: HistoryWindow, { jump, block, before }: Goal): void {
    if (jump.to === 'end') {
      if (shown.hasNewer) return
      this.#goal = undefined
      return kept.toEnd()
    }
    // The first unread message may be gone since: then what followed it is the first.
    const unread = block === 'start' ? shown.rows.find(row => tsOf(row) >= (jump.ts ?? 0)) : undefined
    const isThere = kept.toRow(unread ? idOf(unread) : jump.id, block)
    if (!isThere && shown === before) return
    this.#goal = undefined
    kept.follows = kept.isAtEnd() && !shown.hasNewer
    if (block === 'start') return
    if (isThere) this.#talk.litRow.value = jump.id
    else {
      if (!shown.hasNewer) kept.toEnd()
      showToast({ kind: 'note', text: conversationWords.value.messageGone })
    }
  }
}
