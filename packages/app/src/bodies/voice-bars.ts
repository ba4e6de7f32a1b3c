// The bars of a voice message, from the characters that its sender has written.
const LEVELS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const LEAST = 0.08

/** Heights from 0 to 1; without any, a plain line is drawn. */
export const barsOf = (wave: string | undefined): number[] =>
  Array.from(wave ?? '', sign => Math.max(LEAST, LEVELS.indexOf(sign) / (LEVELS.length - 1)))

/** The bars as one drawing, 100 wide and 1 high. */
export const barsPath = (bars: readonly number[]): string =>
  bars.map((height, at) => `M${(((at + 0.5) * 100) / bars.length).toFixed(1)} ${(1 - height) / 2}v${height}`).join('')
