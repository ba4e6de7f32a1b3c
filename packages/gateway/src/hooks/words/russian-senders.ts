// The words around the events of single programs, in Russian.
import type { TextLine } from '../texts/fit-lines.ts'

type RunPlace = { name: string; where: string }
type DeploymentPlace = { environment: string; project: string }

/** How long something was down: `4 мин`, `2 ч 5 мин`, `3 дн`. */
export function russianDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1) return `${Math.max(1, Math.round(ms / 1000))} с`
  if (minutes < 60) return `${minutes} мин`
  const hours = Math.floor(minutes / 60)
  if (hours >= 48) return `${Math.floor(hours / 24)} дн`
  return minutes % 60 === 0 ? `${hours} ч` : `${hours} ч ${minutes % 60} мин`
}

export const russianSenders = {
  grafana: { silence: 'Заглушить', panel: 'Панель', dashboard: 'Дашборд' },
  uptime: {
    down: (name: string): TextLine => ({ text: `🔴 Не отвечает: ${name}` }),
    up: (name: string, downMs: number | undefined): TextLine => ({
      text: `🟢 Снова работает: ${name}`,
      ...(downMs !== undefined && { tail: `, не было ${russianDuration(downMs)}` }),
    }),
    unnamed: 'монитор без названия',
  },
  github: {
    failed: ({ name, where }: RunPlace): TextLine => ({ text: `❌ ${name} упал: ${where}` }),
    canceled: ({ name, where }: RunPlace): TextLine => ({ text: `🚫 ${name} отменён: ${where}` }),
    waits: ({ name, where }: RunPlace): TextLine => ({ text: `✋ ${name} ждёт одобрения: ${where}` }),
    fixed: ({ name, where }: RunPlace): TextLine => ({ text: `✅ Исправлено: ${name}, ${where}` }),
    workflow: 'Запуск',
    unnamed: 'репозиторий без названия',
    branch: (name: string, run: string): string => `Ветка: ${name}${run && `, запуск ${run}`}`,
    commit: (commit: string): string => `Коммит: ${commit}`,
    repository: (name: string): string => `Репозиторий: ${name}`,
    pullRequest: {
      opened: (number: string): string => `🔀 PR ${number}`,
      reopened: (number: string): string => `🔀 PR ${number} открыт снова`,
      ready_for_review: (number: string): string => `🔀 PR ${number} готов к проверке`,
      merged: (number: string): string => `✅ PR ${number} принят`,
      closed: (number: string): string => `🚫 PR ${number} закрыт`,
    },
    issue: (number: string): string => `📌 Задача ${number}`,
    release: (version: string, where: string): string => `🚀 Выпуск ${version}: ${where}`,
    deploymentFailed: (environment: string, where: string): string =>
      `❌ Развёртывание${environment && ` в ${environment}`} не удалось: ${where}`,
  },
  gitlab: {
    unnamed: 'проект без названия',
    mergeRequest: {
      open: (number: string): string => `🔀 MR ${number} открыт`,
      reopen: (number: string): string => `🔀 MR ${number} открыт снова`,
      approved: (number: string): string => `👍 MR ${number} одобрен`,
      merge: (number: string): string => `✅ MR ${number} влит`,
      close: (number: string): string => `🚫 MR ${number} закрыт`,
    },
    issue: {
      open: (number: string): string => `📌 Задача ${number} открыта`,
      reopen: (number: string): string => `📌 Задача ${number} открыта снова`,
      close: (number: string): string => `✅ Задача ${number} закрыта`,
    },
    tag: (name: string, where: string): string => `🏷 Тег ${name}: ${where}`,
    release: (version: string, where: string): string => `🚀 Выпуск ${version}: ${where}`,
    deploymentFailed: ({ environment, project }: DeploymentPlace): string =>
      `❌ Развёртывание${environment && ` в ${environment}`} не удалось: ${project}`,
    deploymentFixed: ({ environment, project }: DeploymentPlace): string =>
      `✅ Развёртывание${environment && ` в ${environment}`} снова удалось: ${project}`,
  },
  sentry: {
    untitled: 'Ошибка без названия',
    rule: (name: string): string => `Правило: ${name}`,
  },
}
