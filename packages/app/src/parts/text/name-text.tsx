// A person's name on one line, whatever it contains.
import type { VNode } from 'preact'
import './name-text.css'

export const NameText = ({ name }: { name: string }): VNode => (
  <bdi class="name-text" dir="auto">
    {name}
  </bdi>
)
