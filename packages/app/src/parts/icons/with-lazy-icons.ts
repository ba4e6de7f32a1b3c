// Imported by whoever shows an icon that is not there from the start.
import { addIcons } from './icon-drawings.ts'
import { lazyIcons } from './lazy-icons.ts'

addIcons(lazyIcons)
