// Imported by components that show an icon that is not loaded from the start.
import { addIcons } from './icon-drawings.ts'
import { lazyIcons } from './lazy-icons.ts'

addIcons(lazyIcons)
