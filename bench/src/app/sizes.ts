// The files that a browser fetches before a conversation is on the screen, compressed as the relay sends them.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from '../table.ts'

const KILO = 1000

export type Parts = Record<'page' | 'styles' | 'worker' | 'SQLite', string[]>

/** By the rules of the app. For the page, only the part before the first screen has one. */
const budgetsKb: Partial<Record<keyof Parts, number>> = { styles: 12, worker: 178, SQLite: 530 }

/** `fetched`: the addresses that the page requested; the worker's requests are the same at every start. */
export function partsOf(folder: string, fetched: readonly string[]): Parts {
  const assets = readdirSync(join(folder, 'assets')).map(name => `assets/${name}`)
  const names = new Set(fetched.map(address => new URL(address).pathname.slice(1)))
  const worker = assets.filter(name => /\/main-[\w-]+\.js$/.test(name))
  const sqlite = assets.filter(name => /\/sqlite-[\w-]+\.js$|\.wasm$/.test(name))
  const isOfPage = (name: string) => names.has(name) && ![...worker, ...sqlite].includes(name)
  return {
    page: ['index.html', ...assets.filter(name => name.endsWith('.js') && isOfPage(name))],
    styles: assets.filter(name => name.endsWith('.css') && isOfPage(name)),
    worker,
    SQLite: sqlite,
  }
}

export function packedKb(folder: string, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + sentBytes(join(folder, name)), 0) / KILO
}

/** A tiny file has no compressed copy. */
const sentBytes = (path: string): number => statSync(existsSync(`${path}.gz`) ? `${path}.gz` : path).size

export function sizeRows(folder: string, fetched: readonly string[]): Row[] {
  const parts = partsOf(folder, fetched)
  return (Object.keys(parts) as (keyof Parts)[]).map((part): Row => {
    const budget = budgetsKb[part]
    return {
      what: `app, ${part} until a chat is shown, gzip`,
      ours: packedKb(folder, parts[part]),
      unit: 'kB',
      ...(budget !== undefined && { peer: { what: 'its budget', figure: budget, better: 'less' } }),
    }
  })
}
