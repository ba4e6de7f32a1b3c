// How many dialogs stand above each other: what is under a dialog is inert, so menus and toasts are shown in the topmost.
import { signal } from '@preact/signals'

export const openDialogs = signal(0)
