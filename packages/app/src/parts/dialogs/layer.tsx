// Layers above all screens, which every screen can use: dialogs, menus, toasts, announcements for screen readers.
import type { VNode } from 'preact'
import { openDialogs } from '../dialog-depth.ts'
import { Menus } from '../menus/menus.tsx'
import { LiveRegion } from '../toasts/live-region.tsx'
import { Toasts } from '../toasts/toasts.tsx'
import { Dialogs } from './dialogs.tsx'

/** Once, at the root of the app. */
export const Layer = (): VNode => (
  <>
    {openDialogs.value === 0 && <Menus />}
    <Dialogs />
    <Toasts />
    <LiveRegion />
  </>
)
