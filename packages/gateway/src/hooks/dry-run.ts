// Shows what a post would write, without writing: nothing is sent, and nothing remembered.
import type { BotLanguage, DryRun } from '@postern/bot-api'
import type { Client } from '@postern/core'
import { hookLimits } from '@postern/protocol'
import { type PlanParts, planPost } from './plan.ts'
import { type PostOfHook, readPost } from './read-post.ts'
import { wordsIn } from './words/words.ts'

type DryRunParts = PlanParts & { language: BotLanguage; elapsed: Client['elapsed'] }

export async function dryRun(parts: DryRunParts, { hook, body, headers }: Omit<PostOfHook, 'words'>): Promise<DryRun> {
  const { client, language, elapsed } = parts
  const news = readPost({ hook, body, headers, words: wordsIn[hook.lang ?? language] })
  if (!elapsed.isKnown) await client.whenOnline({ timeoutMs: hookLimits.postWithinMs })
  const plan = planPost(parts, hook, news)
  if (plan.kind === 'skip') return { skipped: `Nothing would be written: ${plan.why}.` }
  const { text, entities, buttons, replyTo, silent } = plan
  return {
    text,
    ...(entities && entities.length > 0 && { entities: [...entities] }),
    ...(buttons && buttons.length > 0 && { buttons }),
    ...(replyTo && { reply_to: replyTo }),
    ...(silent && { silent }),
  }
}
