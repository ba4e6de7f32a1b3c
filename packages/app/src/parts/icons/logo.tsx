// The logo of the app: a small door in a wall, ajar.
import type { VNode } from 'preact'
import './logo.css'

export const Logo = ({ size = 26 }: { size?: number }): VNode => {
  const edge = `${size / 16}rem`
  return (
    <svg class="logo" viewBox="0 0 32 32" width={edge} height={edge} aria-hidden="true" focusable="false">
      <path class="logo-wall" d="M5 29V14a11 11 0 0 1 22 0v15" />
      <path class="logo-leaf" d="M10 29V14.5a6 6 0 0 1 9-5.2V29z" />
      <path class="logo-wall" d="M2.5 29h27" />
      <circle class="logo-knob" cx="15.9" cy="20" r="1.5" />
    </svg>
  )
}
