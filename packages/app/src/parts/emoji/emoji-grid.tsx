// Picks an emoji: by group, by a word in English or Russian, or one of the last used.
import { signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { begin } from '../attempt.ts'
import './emoji-grid.css'
import { moveInGrid } from '../menus/roving.ts'
import { Spinner } from '../spinner.tsx'
import { type Emoji, emojiGroups, findEmoji, noteEmoji, readEmoji, recentEmoji } from './emoji-list.ts'
import { emojiWords } from './emoji-words.ts'

const groups = signal<Emoji[][] | undefined>(undefined)

async function loadEmoji(): Promise<void> {
  const { default: text } = await import('./emoji.txt?raw')
  groups.value = readEmoji(text)
}

const RECENT = -1
const tabSigns = ['🕘', '😀', '👋', '🌿', '🍏', '🚗', '⚽', '💡', '❤️', '🏳️'] as const

export function EmojiGrid({ onPick }: { onPick: (sign: string) => void }): VNode {
  const typed = useSignal('')
  const tab = useSignal(recentEmoji(localStorage).length > 0 ? RECENT : 0)
  const search = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (!groups.value) begin(loadEmoji())
    // On a phone the keyboard would cover the grid.
    if (matchMedia('(hover: hover) and (pointer: fine)').matches) search.current?.focus()
  }, [])
  const shown = (): Emoji[] => {
    if (typed.value.trim()) return findEmoji(groups.value ?? [], typed.value)
    if (tab.value === RECENT) return recentEmoji(localStorage).map(sign => ({ sign, words: '' }))
    return groups.value?.[tab.value] ?? []
  }
  const pick = (sign: string) => {
    noteEmoji(localStorage, sign)
    onPick(sign)
  }
  return (
    <div class="emoji-grid">
      <input
        ref={search}
        class="emoji-grid-search"
        type="search"
        autocomplete="off"
        dir="auto"
        value={typed.value}
        aria-label={emojiWords.value.findEmoji}
        placeholder={emojiWords.value.findEmoji}
        onInput={event => {
          typed.value = event.currentTarget.value
        }}
      />
      <Tabs
        chosen={tab.value}
        onChoose={at => {
          typed.value = ''
          tab.value = at
        }}
      />
      {groups.value ? <Signs shown={shown()} onPick={pick} /> : <Spinner />}
    </div>
  )
}

const Tabs = ({ chosen, onChoose }: { chosen: number; onChoose: (tab: number) => void }): VNode => (
  <div
    class="emoji-grid-tabs"
    role="tablist"
    aria-label={emojiWords.value.emojiGroups}
    onKeyDown={event => moveInGrid(event.currentTarget, event)}
  >
    {tabSigns.map((sign, at) => {
      const group = emojiGroups[at - 1]
      return (
        <button
          key={sign}
          class="emoji-grid-tab"
          type="button"
          role="tab"
          tabIndex={at - 1 === chosen ? 0 : -1}
          aria-selected={at - 1 === chosen}
          aria-label={emojiWords.value.emojiGroup[group ?? 'recent']}
          onClick={() => onChoose(at - 1)}
        >
          {sign}
        </button>
      )
    })}
  </div>
)

function Signs({ shown, onPick }: { shown: Emoji[]; onPick: (sign: string) => void }): VNode {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => element.current?.scrollTo(0, 0), [shown[0]?.sign, shown.length])
  return (
    <div
      ref={element}
      class="emoji-grid-signs"
      role="group"
      aria-label={emojiWords.value.emoji}
      onKeyDown={event => moveInGrid(event.currentTarget, event)}
    >
      {shown.map(({ sign, words }, at) => (
        <button
          key={sign}
          class="emoji-grid-sign"
          type="button"
          tabIndex={at === 0 ? 0 : -1}
          title={words.trim()}
          aria-label={sign}
          onClick={() => onPick(sign)}
        >
          {sign}
        </button>
      ))}
      {shown.length === 0 && <p class="emoji-grid-none">{emojiWords.value.noEmoji}</p>}
    </div>
  )
}
