// The pane with all chats: search, requests, the list, the archive.
import type { VNode } from 'preact'
import { useView } from '../link/link.ts'
import { Bar } from '../parts/bar.tsx'
import { Icon, type IconName } from '../parts/icons/icon.tsx'
import { IconButton } from '../parts/icons/icon-button.tsx'
import { Logo } from '../parts/icons/logo.tsx'
import { lazyPart } from '../parts/lazy-part.tsx'
import type { MenuItem } from '../parts/menus/menu.tsx'
import { openMenu } from '../parts/menus/menus.tsx'
import { go } from '../router.ts'
import './chat-list-pane.css'
import { folder, searchText, sortedChats } from './chat-list-state.ts'
import { EmptyList } from './empty-list.tsx'
import { KeepLine } from './keep-line.tsx'
import { RowList } from './row-list.tsx'
import { SearchField } from './search-field.tsx'
import type { Folder, SortedChats } from './sort-chats.ts'
import { chatListWords } from './words.ts'

const SearchResults = lazyPart(() => import('./search-results.tsx').then(({ SearchResults }) => SearchResults))

/** More would push the chats of friends out of sight: strangers decide how many there are. */
const REQUESTS_SHOWN = 3

const newChatItems = (): MenuItem[] => {
  const w = chatListWords.value
  return [
    { word: w.openLink, icon: 'link', run: () => go({ screen: 'new-chat' }) },
    { word: w.newGroup, icon: 'users', run: () => go({ screen: 'new-group' }) },
    { word: w.myLink, icon: 'qr-code', run: () => go({ screen: 'settings', part: 'invite' }) },
  ]
}
const mainItems = (): MenuItem[] => {
  const w = chatListWords.value
  return [
    ...newChatItems(),
    { word: w.archived, icon: 'archive', run: () => openFolder('archived') },
    { word: w.settings, icon: 'settings', run: () => go({ screen: 'settings' }) },
  ]
}

function openFolder(next: Folder): void {
  folder.value = next
  searchText.value = ''
}

export function ChatListPane(): VNode {
  const w = chatListWords.value
  const me = useView('me')
  const sorted = sortedChats.value
  const openNew = (at: HTMLElement): void => openMenu({ label: w.newChat, items: newChatItems(), at })
  return (
    <div class="chat-list">
      {folder.value === 'chats' ? <HomeBar openNew={openNew} /> : <FolderBar />}
      <SearchField />
      <div class="chat-list-scroll" data-scrolls>
        {sorted && me.value && <Inside sorted={sorted} me={me.value.id} />}
      </div>
      {folder.value === 'chats' && (
        <button
          class="chat-list-new"
          type="button"
          aria-label={w.newChat}
          title={w.newChat}
          onClick={event => openNew(event.currentTarget)}
        >
          <Icon name="square-pen" size={22} />
        </button>
      )}
    </div>
  )
}

function HomeBar({ openNew }: { openNew: (at: HTMLElement) => void }): VNode {
  const w = chatListWords.value
  return (
    <Bar
      back="none"
      end={
        <>
          <span class="chat-list-pen">
            <IconButton icon="square-pen" label={w.newChat} onClick={openNew} />
          </span>
          <IconButton icon="menu" label={w.menu} onClick={at => openMenu({ label: w.menu, items: mainItems(), at })} />
        </>
      }
    >
      <Logo />
      <h1 class="chat-list-title">Postern</h1>
    </Bar>
  )
}

const FolderBar = (): VNode => (
  <Bar onBack={() => openFolder('chats')}>
    <h1 class="chat-list-title">
      {folder.value === 'archived' ? chatListWords.value.archived : chatListWords.value.requests}
    </h1>
  </Bar>
)

function Inside({ sorted, me }: { sorted: SortedChats; me: string }): VNode {
  const w = chatListWords.value
  if (searchText.value.trim() !== '') return <SearchResults text={searchText.value.trim()} me={me} />
  if (folder.value !== 'chats') return <RowList label={w[folder.value]} lines={sorted[folder.value]} me={me} />
  const isEmpty = sorted.chats.length + sorted.requests.length + sorted.archived.length === 0
  if (isEmpty) return <EmptyList />
  return (
    <>
      <KeepLine />
      <Requests sorted={sorted} me={me} />
      <RowList label={w.chats} lines={sorted.chats} me={me} />
      {sorted.archived.length > 0 && (
        <FolderLink
          icon="archive"
          word={w.archived}
          count={sorted.archived.length}
          onClick={() => openFolder('archived')}
        />
      )}
    </>
  )
}

function Requests({ sorted, me }: { sorted: SortedChats; me: string }): VNode | null {
  const w = chatListWords.value
  const { requests } = sorted
  if (requests.length === 0) return null
  return (
    <>
      <h2 class="chat-list-section">{w.requests}</h2>
      <RowList label={w.requests} lines={requests.slice(0, REQUESTS_SHOWN)} me={me} />
      {requests.length > REQUESTS_SHOWN && (
        <FolderLink icon="user-plus" word={w.allRequests(requests.length)} onClick={() => openFolder('requests')} />
      )}
      <h2 class="chat-list-section">{w.chats}</h2>
    </>
  )
}

type FolderLinkShown = { icon: IconName; word: string; count?: number; onClick: () => void }

const FolderLink = ({ icon, word, count, onClick }: FolderLinkShown): VNode => (
  <button class="chat-list-folder" type="button" onClick={onClick}>
    <Icon name={icon} />
    <span>{word}</span>
    {count !== undefined && <span class="chat-list-folder-count">{count}</span>}
  </button>
)
