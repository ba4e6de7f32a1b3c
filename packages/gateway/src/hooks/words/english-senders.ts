// The words around the events of single programs, in English.
import type { russianSenders } from './russian-senders.ts'

/** How long something was down: `4 min`, `2 h 5 min`, `3 d`. */
export function englishDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1) return `${Math.max(1, Math.round(ms / 1000))} s`
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours >= 48) return `${Math.floor(hours / 24)} d`
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}

export const englishSenders: typeof russianSenders = {
  grafana: { silence: 'Silence', panel: 'Panel', dashboard: 'Dashboard' },
  uptime: {
    down: name => ({ text: `🔴 Down: ${name}` }),
    up: (name, downMs) => ({
      text: `🟢 Up again: ${name}`,
      ...(downMs !== undefined && { tail: `, down for ${englishDuration(downMs)}` }),
    }),
    unnamed: 'unnamed monitor',
  },
  github: {
    failed: ({ name, where }) => ({ text: `❌ ${name} failed: ${where}` }),
    canceled: ({ name, where }) => ({ text: `🚫 ${name} canceled: ${where}` }),
    waits: ({ name, where }) => ({ text: `✋ ${name} waits for approval: ${where}` }),
    fixed: ({ name, where }) => ({ text: `✅ Fixed: ${name}, ${where}` }),
    workflow: 'Run',
    unnamed: 'unnamed repository',
    branch: (name, run) => `Branch: ${name}${run && `, run ${run}`}`,
    commit: commit => `Commit: ${commit}`,
    repository: name => `Repository: ${name}`,
    pullRequest: {
      opened: number => `🔀 PR ${number}`,
      reopened: number => `🔀 PR ${number} reopened`,
      ready_for_review: number => `🔀 PR ${number} is ready for review`,
      merged: number => `✅ PR ${number} merged`,
      closed: number => `🚫 PR ${number} closed`,
    },
    issue: number => `📌 Issue ${number}`,
    release: (version, where) => `🚀 Release ${version}: ${where}`,
    deploymentFailed: (environment, where) => `❌ Deployment${environment && ` to ${environment}`} failed: ${where}`,
  },
  gitlab: {
    unnamed: 'unnamed project',
    mergeRequest: {
      open: number => `🔀 MR ${number} opened`,
      reopen: number => `🔀 MR ${number} reopened`,
      approved: number => `👍 MR ${number} approved`,
      merge: number => `✅ MR ${number} merged`,
      close: number => `🚫 MR ${number} closed`,
    },
    issue: {
      open: number => `📌 Issue ${number} opened`,
      reopen: number => `📌 Issue ${number} reopened`,
      close: number => `✅ Issue ${number} closed`,
    },
    tag: (name, where) => `🏷 Tag ${name}: ${where}`,
    release: (version, where) => `🚀 Release ${version}: ${where}`,
    deploymentFailed: ({ environment, project }) =>
      `❌ Deployment${environment && ` to ${environment}`} failed: ${project}`,
    deploymentFixed: ({ environment, project }) =>
      `✅ Deployment${environment && ` to ${environment}`} succeeded again: ${project}`,
  },
  sentry: {
    untitled: 'Unnamed error',
    rule: name => `Rule: ${name}`,
  },
}
