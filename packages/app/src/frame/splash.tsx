// While the account is being opened: nothing for a moment, then the gate.
import type { VNode } from 'preact'
import { Logo } from '../parts/icons/logo.tsx'
import './splash.css'
import { frameWords } from './words.ts'

export const Splash = (): VNode => (
  <div class="splash" aria-busy="true">
    <Logo size={64} />
    <h1 class="splash-words">{frameWords.value.starting}</h1>
  </div>
)
