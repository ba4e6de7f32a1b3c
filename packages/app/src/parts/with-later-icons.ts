// Imported by whoever shows an icon that is not there from the start.
import { addIcons } from './icon-drawings.ts'
import { laterIcons } from './later-icons.ts'

addIcons(laterIcons)
