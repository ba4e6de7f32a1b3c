// The gateway's own texts in English.
import type { CreatedHook } from '@postern/bot-api'
import { hookLimits } from '@postern/protocol'
import { oneLine } from '../texts/clean.ts'
import { shortened } from '../texts/fit-lines.ts'
import { formatChoices, hookKind } from './choices.ts'
import { englishLiving } from './english-living.ts'
import { englishOwners } from './english-owners.ts'
import { englishSenders } from './english-senders.ts'
import { countedInEnglish } from './plural.ts'
import type { GatewayWords } from './russian.ts'

const formats = formatChoices('or')

/** Quotation marks inside become inner ones. */
const quoted = (text: string, charsMax: number): string =>
  `“${shortened(oneLine(text), charsMax).replaceAll('“', '‘').replaceAll('”', '’')}”`

const addressText = ({ id, url }: CreatedHook): string =>
  `${url}\n\nAnyone who knows this address can write to the chat as the bot: keep it like a password. The bot will not show it again.\nThe bot deletes this message ${countedInEnglish(hookLimits.addressAfterReadMs / 60_000, 'minute')} after you have read it, and after a day at the latest: save the address now.\nTo remove the hook: /unhook ${id}`

const dayOf = (ts: number): string => new Date(ts).toISOString().slice(0, 10)

export const english: GatewayWords = {
  alerts: {
    count: count => countedInEnglish(count, 'alert'),
    resolvedTitle: name => `✅ Resolved: ${name}`,
    states: ({ firing, resolved }) =>
      [
        ...(firing > 0 ? [countedInEnglish(firing, 'alert')] : []),
        ...(resolved > 0 ? [`${resolved} resolved`] : []),
      ].join(', '),
    more: ({ firing, resolved }) =>
      `…and ${[
        ...(firing > 0 ? [countedInEnglish(firing, 'more alert')] : []),
        ...(resolved > 0 ? [`${resolved} more resolved`] : []),
      ].join(', ')}`,
    moreNames: (names, count) => `${names} and ${count} more`,
    unnamed: 'Unnamed',
    undescribed: 'no description',
  },
  pipeline: {
    failed: project => ({ text: `❌ Pipeline failed: ${project}` }),
    canceled: project => ({ text: `🚫 Pipeline canceled: ${project}` }),
    fixed: project => ({ text: `✅ Fixed: ${project}`, tail: ', the pipeline passes again' }),
    unnamed: 'unnamed project',
    tag: name => `Tag: ${name}`,
    branch: name => `Branch: ${name}`,
    mergeRequest: (number, title) => `Merge request: !${number}${title && ` ${title}`}`,
    commit: commit => `Commit: ${commit}`,
    author: name => `Author: ${name}`,
    failedJobs: names => `${names.length === 1 ? 'Failed job' : 'Failed jobs'}: ${names.join(', ')}`,
  },
  ...englishSenders,
  living: englishLiving,
  owners: englishOwners,
  descriptions: {
    hook: 'Create a hook for this chat',
    hooks: 'List the hooks of this chat',
    unhook: 'Remove a hook',
  },
  answers: {
    created: hook => `Hook ${hook.id} (${hookKind(hook)}) for this chat is ready. Its address:\n${addressText(hook)}`,
    createdForGroup: (hook, title) =>
      `Hook ${hook.id} (${hookKind(hook)}) for the group ${quoted(title, hookLimits.commandTitleCharsMax)} is ready. Its address:\n${addressText(hook)}`,
    createdInGroup: hook =>
      `Hook ${hook.id} (${hookKind(hook)}) for this group is ready. Its address was sent to the owner in a private chat.`,
    notReached:
      'No hook was created: its address could not be sent to you in a private chat. Write to the bot in private, then repeat the command here.',
    formatMissing: `Name a format: ${formats}.`,
    formatUnknown: word => `There is no format ${quoted(word, hookLimits.commandWordCharsMax)}. Use ${formats}.`,
    templateByApi:
      'A hook with a template is created over the API, because no command can carry a template: POST /v1/hooks with the fields format and template.',
    idMissing: 'Name the id of the hook: /unhook <id>. To list the hooks: /hooks.',
    idUnknown: word =>
      `There is no hook ${quoted(word, hookLimits.commandWordCharsMax)}. To list the hooks of this chat: /hooks.`,
    removed: id => `Hook ${id} is removed; its address no longer works.`,
    tooMany: `There are already ${countedInEnglish(hookLimits.hooksMax, 'hook')}, and more are not allowed. Remove one that you do not need: /unhook <id>.`,
    list: hooks => {
      if (hooks.length === 0) return `This chat has no hooks. To create one: ${formats}.`
      const lines = hooks.map(hook => `${hook.id}: ${hookKind(hook)}, created ${dayOf(hook.ts)}`)
      return ['Hooks of this chat:', ...lines, 'To remove one: /unhook <id>'].join('\n')
    },
    stranger: account =>
      `Only the owners of the bot can manage hooks.\nYour account id: ${account}\nTo become an owner, ask the bot's administrator to add this id to BOT_OWNERS.`,
  },
}
