// The field above the list. Esc empties it, arrow down moves to the results.
import type { VNode } from 'preact'
import { Icon } from '../parts/icons/icon.tsx'
import { isPlainKey } from '../parts/plain-key.ts'
import { searchField, searchText } from './chat-list-state.ts'
import './search-field.css'
import { chatListWords } from './words.ts'

const SEARCH_UNITS_MAX = 200

const empty = (): void => {
  searchText.value = ''
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.key === 'Escape' && searchText.value !== '') {
    event.preventDefault()
    empty()
  }
  if (event.key !== 'ArrowDown' || !isPlainKey(event)) return
  event.preventDefault()
  const list = searchField.current?.closest('.chat-list')
  list?.querySelector<HTMLElement>('.chat-list-scroll a[tabindex="0"], .found-message')?.focus()
}

export function SearchField(): VNode {
  const w = chatListWords.value
  return (
    <div class="search-field" role="search">
      <Icon name="search" size={17} />
      <input
        ref={element => {
          searchField.current = element
        }}
        class="search-field-input"
        type="text"
        inputMode="search"
        enterKeyHint="search"
        aria-label={w.search}
        placeholder={w.search}
        // Empty, it has no direction: its hint is at the start of the line.
        dir={searchText.value === '' ? undefined : 'auto'}
        maxLength={SEARCH_UNITS_MAX}
        autocomplete="off"
        value={searchText.value}
        onInput={event => {
          searchText.value = event.currentTarget.value
        }}
        onKeyDown={onKeyDown}
      />
      {searchText.value !== '' && (
        <button class="search-field-clear" type="button" aria-label={w.clearSearch} onClick={empty}>
          <Icon name="x" size={17} />
        </button>
      )}
    </div>
  )
}
