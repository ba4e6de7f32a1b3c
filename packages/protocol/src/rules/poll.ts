// The rules for a poll: its question and its options.
import { contentLimits } from '../limits.ts'
import type { Fault } from './kept.ts'
import { nameFault, shownFault } from './line.ts'

const { pollQuestionCharsMax, pollOptionsMin, pollOptionsMax, pollOptionCharsMax } = contentLimits

export const questionFault = (question: string): Fault => shownFault(question, pollQuestionCharsMax)

export const optionFault = (option: string): Fault => nameFault(option, pollOptionCharsMax)

export const optionsCountFault = (options: readonly unknown[]): Fault =>
  options.length < pollOptionsMin || options.length > pollOptionsMax
    ? `must have ${pollOptionsMin} to ${pollOptionsMax} options`
    : undefined
