// The grid of emoji, where it is opened by a click.
import { laterPart } from './later-part.tsx'

export const EmojiChooser = laterPart(() => import('./emoji-grid.tsx').then(({ EmojiGrid }) => EmojiGrid))
