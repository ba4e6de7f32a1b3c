// The gateway's own texts by language.
import type { BotLanguage } from '@postern/bot-api'
import { english } from './english.ts'
import { type GatewayWords, russian } from './russian.ts'

export type { GatewayWords } from './russian.ts'

export const wordsIn: Readonly<Record<BotLanguage, GatewayWords>> = { ru: russian, en: english }
