// The rules that a receiver enforces on others: lengths and counts, which bound the cost of a message.
// How words look is not among them. A message that breaks such a rule would vanish, and with it what an older or a
// newer client meant to say; it is cleaned instead (`received-body.ts`), and a reaction that is no emoji is passed over.
import * as z from 'zod/mini'
import type { Fault } from '../rules/kept.ts'
import { type CharRange, lengthFault } from '../rules/text.ts'

export const keeping =
  <Value>(fault: (value: Value) => Fault) =>
  (value: Value): boolean =>
    fault(value) === undefined

export const chars = (range: CharRange) => z.string().check(z.refine(value => lengthFault(value, range) === undefined))
