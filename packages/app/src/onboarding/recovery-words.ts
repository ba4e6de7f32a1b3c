// The six words as people type them: from paper, with numbers, commas and capital letters.

export const RECOVERY_WORDS = 6

export const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{M}-]+/u)
    .map(word => word.replace(/^-+|-+$/g, ''))
    .filter(word => word !== '')
