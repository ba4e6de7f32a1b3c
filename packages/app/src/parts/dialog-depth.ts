// The number of stacked dialogs: everything under a dialog is inert, so menus and toasts are shown in the topmost.
import { signal } from '@preact/signals'

export const openDialogs = signal(0)
