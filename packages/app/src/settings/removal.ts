// The word that removes an account: nobody removes one by a slip of the finger.
import { settingsWords } from './words.ts'

export const isRemovalMeant = (typed: string): boolean => typed.trim().toLowerCase() === settingsWords.value.removeWord
