// The same actions on a page about a chat.
import type { VNode } from 'preact'
import { Option } from '../menus/option.tsx'
import { removalItems } from './chat-removal.ts'
import type { RemovableChat } from './clear-chat.ts'

export const RemovalOptions = ({ chat }: { chat: RemovableChat }): VNode | null =>
  chat.state === 'request' ? null : (
    <>
      {removalItems(chat).map(({ word, icon, run }) => (
        <Option key={word} {...(icon && { icon })} title={word} danger onClick={run} />
      ))}
    </>
  )
