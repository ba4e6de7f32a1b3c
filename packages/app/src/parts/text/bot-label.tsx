// The word "bot" next to a name: people who write to a bot must know it.
import type { VNode } from 'preact'
import './bot-label.css'
import { partsWords } from '../words.ts'

export const BotLabel = (): VNode => <span class="bot-label">{partsWords.value.bot}</span>
