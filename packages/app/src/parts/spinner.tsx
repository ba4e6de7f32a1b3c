// A sign of progress. With reduced motion it is an ellipsis.
import type { VNode } from 'preact'
import './spinner.css'

export const Spinner = (): VNode => (
  <>
    <span class="spinner" aria-hidden="true" />
    <span class="spinner-still" aria-hidden="true">
      …
    </span>
  </>
)
