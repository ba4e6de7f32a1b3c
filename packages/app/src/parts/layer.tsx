// What every screen may call for, and stands above all of them: dialogs, menus, toasts, words for screen readers.
import type { VNode } from 'preact'
import { openDialogs } from './dialog-depth.ts'
import { Dialogs } from './dialogs.tsx'
import { LiveRegion } from './live-region.tsx'
import { Menus } from './menus.tsx'
import { Toasts } from './toasts.tsx'

/** Once, at the root of the app. */
export const Layer = (): VNode => (
  <>
    {openDialogs.value === 0 && <Menus />}
    <Dialogs />
    <Toasts />
    <LiveRegion />
  </>
)
