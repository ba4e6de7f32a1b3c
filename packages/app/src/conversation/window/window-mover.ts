// Moves the window over a conversation, keeps the visible rows in place, performs jumps, and marks messages as read.
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

/** The target of a change of the window; `before` is the window from which it was requested. */
type Goal = { jump: Jump; block: 'center' | 'start'; before?: HistoryWindow | undefined }

export const isLookedAt = (): boolean => document.visibilityState === 'visible' && document.hasFocus()

/** The sticky day stays for this long after the last scrolling. */
const DAY_SHOWN_MS = 900
const lookEvents = ['focus', 'blur', 'visibilitychange'] as const

export class WindowMover {
  readonly anchor: Signal<HistoryAnchor>
  /** The maximum of rows while the end is shown. */
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
  /** The window from which another one was requested: until that arrives, no further request is made. */
  #askedFrom: HistoryWindow | undefined

  constructor(talk: Talk, opening: OpeningPosition) {
    this.#talk = talk
    this.#goal = opening.goal
    this.anchor = signal(opening.anchor)
    const chat = talk.chat.peek().id
    this.#reading = new ReadMarks(pageTiming, upTo => begin(call('read', { chat, upTo })))
  }

  /** Returns a function that ends it. */
  attach(list: HTMLElement): () => void {
    this.#list = list
    this.#kept = new ScrollKeeper(scrolledList(list))
    this.#kept.follows = this.#goal === undefined
    // Loaded pictures, an opened keyboard, a growing field: none of them is a change of the rows.
    const observer = new ResizeObserver(() => {
      // Never less: a keyboard that opens and closes would request the rows each time.
      this.endRows.value = Math.max(this.endRows.peek(), endRowsFor(list.clientHeight))
      this.#settle()
    })
    for (const element of [list, ...list.children]) observer.observe(element)
    const look = (): void => this.#look()
    for (const name of lookEvents) addEventListener(name, look)
    const stopJumps = this.#talk.jump.subscribe(jump => this.#begin(jump))
    // A new message may be here before the chat reports it as unread.
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

  /** Before the rows are changed: afterwards their old positions are lost. */
  note(): void {
    this.#kept?.noteScrolled()
  }

  /** Called when the rows of a window are in the document. */
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
    // Nothing is read on a page that nobody looks at, and nobody looks yet at a page that an address has opened.
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
    // The first unread message may be gone since: then the next one is the first.
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
