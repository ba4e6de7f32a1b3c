// A file in a line: an icon, its name, and details below it.
import type { ComponentChildren, VNode } from 'preact'
import './file-line.css'

type FileLineProps = {
  sign: ComponentChildren
  name: string
  facts: ComponentChildren
  /** `quiet` if the line cannot be pressed. */
  tone?: 'accent' | 'quiet'
  children?: ComponentChildren
}

export const FileLine = ({ sign, name, facts, tone = 'accent', children }: FileLineProps): VNode => (
  <span class="file-line">
    {sign && <span class={`file-line-sign file-line-sign-${tone}`}>{sign}</span>}
    <span class="file-line-words">
      <bdi class="file-line-name">{name}</bdi>
      <span class="file-line-facts">{facts}</span>
      {children}
    </span>
  </span>
)
