// The name of a person or a group, whatever it contains: on one line, or all of it.
import type { VNode } from 'preact'
import './name-text.css'

export const NameText = ({ name, isWhole = false }: { name: string; isWhole?: boolean }): VNode => (
  <bdi class={isWhole ? 'name-text name-text-whole' : 'name-text'} dir="auto">
    {name}
  </bdi>
)
