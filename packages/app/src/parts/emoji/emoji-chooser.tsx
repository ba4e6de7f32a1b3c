// The grid of emoji, opened by a click.
import { lazyPart } from '../lazy-part.tsx'

export const EmojiChooser = lazyPart(() => import('./emoji-grid.tsx').then(({ EmojiGrid }) => EmojiGrid))
