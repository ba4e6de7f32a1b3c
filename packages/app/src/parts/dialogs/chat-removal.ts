// The menu items that clear a history or delete a chat.
import { begin } from '../attempt.ts'
import { lazyImport } from '../lazy-import.ts'
import type { MenuItem } from '../menus/menu.tsx'
import { partsWords } from '../words.ts'
import type { RemovableChat } from './clear-chat.ts'

const questions = lazyImport(() => import('./clear-chat.ts'))

/** Not for a request, which is declined. */
export function removalItems(chat: RemovableChat): MenuItem[] {
  const w = partsWords.value
  return [
    {
      word: w.clearHistory,
      icon: 'eraser',
      danger: true,
      run: () => begin(questions().then(({ clearHistory }) => clearHistory(chat))),
    },
    {
      word: w.deleteChat,
      icon: 'trash',
      danger: true,
      run: () => begin(questions().then(({ deleteChat }) => deleteChat(chat))),
    },
  ]
}
