// The licences of the libraries in the built app, as their authors require them to be passed on.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** For packages whose data is in files that our scripts have written: they are not installed where the app is built. */
const NOTICES = join(import.meta.dirname, 'notices')
/** A package by the path of one of its modules: the innermost, because one may be inside another. */
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/

type Manifest = { name: string; version: string; license?: string; author?: string | { name: string } }

/** `ids` are the modules of the bundle. */
export function licencesOf(ids: readonly string[]): string {
  const notices = new Set([...noticesOf(ids), ...readdirSync(NOTICES).map(keptNotice)])
  return `This app contains the following libraries.\n\n${[...notices].toSorted().join('\n\n')}\n`
}

/** One for each library of a bundle, in order. */
export function noticesOf(ids: readonly string[]): string[] {
  const folders = new Set(ids.flatMap(id => PACKAGE.exec(id.replaceAll('\0', ''))?.[0] ?? []))
  return [...new Set([...folders].map(noticeOf))].toSorted()
}

const keptNotice = (file: string): string =>
  `==== ${basename(file, '.txt')}\n\n${readFileSync(join(NOTICES, file), 'utf8').trim()}`

function noticeOf(folder: string): string {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  if (license === undefined) throw new Error(`${name} is in the app and names no licence`)
  const file = readdirSync(folder).find(entry => /^licen[cs]e/i.test(entry))
  const by = typeof author === 'string' ? author : author?.name
  const text =
    file === undefined ? `Licence ${license}${by ? `, by ${by}` : ''}` : readFileSync(join(folder, file), 'utf8')
  return `==== ${name} ${version} (${license})\n\n${text.trim()}`
}
