// The size of the built app, and what must not be in it.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { builtApp } from '@postern/app/build'
import { expect, test as plain } from 'vitest'

type BuiltFile = { path: string; text: string; bytes: number }

const test = plain
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('files', { scope: 'file' }, async ({}): Promise<BuiltFile[]> => {
    const dist = await builtApp()
    return globSync('**/*.{html,js,css,wasm}', { cwd: dist }).map(path => {
      // As it is sent: a tiny file has no compressed copy.
      const sent = [`${path}.gz`, path].find(name => existsSync(join(dist, name))) ?? path
      return { path, text: readFileSync(join(dist, path), 'utf8'), bytes: statSync(join(dist, sent)).size }
    })
  })

const KB = 1000
const APP = join(import.meta.dirname, '../dist')
const page = (files: BuiltFile[]) => files.find(({ path }) => path === 'index.html')?.text ?? ''
/** The files that any of these texts requests, directly or through each other. */
function askedFor(files: BuiltFile[], texts: string[]): BuiltFile[] {
  const isAsked = ({ path }: BuiltFile) => texts.some(text => staticNames(text).some(name => path.endsWith(name)))
  const found = files.filter(isAsked)
  const deeper = found.map(({ text }) => text)
  return deeper.every(text => texts.includes(text)) ? found : askedFor(files, [...new Set([...texts, ...deeper])])
}

/** Needed before anything is shown: sources of the page, and static imports. */
const staticNames = (text: string): string[] =>
  [...text.matchAll(/(?:\bsrc=|\bfrom\s*|\bimport\s*)"(?:\/assets\/|\.\/)([^"]+)"/g)].map(match => match[1] ?? '')

/** Needed for the first message: the page, and the screen of a conversation. */
const firstChat = (files: BuiltFile[]): BuiltFile[] => {
  const conversation = files.filter(({ path }) => /\/conversation-[\w-]+\.js$/.test(path))
  const entry = askedFor(files, [page(files)])
  const around = askedFor(
    files,
    conversation.map(({ text }) => text),
  )
  return [...new Set([...entry, ...conversation, ...around])]
}

/** Their largest modules. */
function largestIn(files: BuiltFile[]): string {
  const modules = JSON.parse(readFileSync(join(APP, '.modules.json'), 'utf8')) as Record<string, Record<string, number>>
  const lines = files
    .flatMap(({ path }) => Object.entries(modules[path] ?? {}))
    .toSorted(([, one], [, other]) => other - one)
    .map(([id, length]) => `${length} ${id.replace(/^.*(?=node_modules|packages)/, '')}`)
  return lines.slice(0, 15).join('\n')
}

const weigh = (files: BuiltFile[]) => files.reduce((sum, { bytes }) => sum + bytes, 0)

/** Empty, or their size and the reason. */
const tooHeavy = (files: BuiltFile[], bytesMax: number): string =>
  weigh(files) <= bytesMax ? '' : `${weigh(files)} bytes:\n${largestIn(files)}`

test('[APP-14.5] the page weighs at most 72 kB with the first chat, and all styles 12', ({ files }) => {
  const scripts = firstChat(files)
  expect(tooHeavy(scripts, 72 * KB)).toBe('')
  expect(weigh(scripts)).toBeGreaterThan(10 * KB)
  expect(weigh(files.filter(({ path }) => path.endsWith('.css')))).toBeLessThanOrEqual(12 * KB)
})

test('[APP-14.40] the first form weighs at most 59 kB, and the page names all of it', ({ files }) => {
  const named = new Set([...page(files).matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(match => match[1] ?? ''))
  const form = files.filter(({ path }) => named.has(path))
  expect(form.map(({ path }) => path)).toEqual(expect.arrayContaining([expect.stringMatching(/\/onboarding-/)]))
  const missing = askedFor(
    files,
    form.map(({ text }) => text),
  ).filter(file => !form.includes(file))
  expect(missing.map(({ path }) => path)).toEqual([])
  expect(tooHeavy(form, 59 * KB)).toBe('')
})

test('[APP-14.5] the worker weighs at most 184 kB, and SQLite beside it 530', ({ files }) => {
  const worker = files.filter(({ path }) => /\/main-[\w-]+\.js$/.test(path))
  expect(worker).toHaveLength(1)
  expect(tooHeavy(worker, 184 * KB)).toBe('')
  const around = askedFor(
    files,
    worker.map(({ text }) => text),
  )
  const webAssembly = files.filter(({ path }) => path.endsWith('.wasm'))
  expect(webAssembly).toHaveLength(1)
  expect(weigh([...around, ...webAssembly])).toBeLessThanOrEqual(530 * KB)
})

test('[APP-14.6] nothing that is built makes HTML or code from text, but the way of Preact that no source takes', ({
  files,
}) => {
  const scripts = files.filter(({ path }) => path.endsWith('.js') && !path.includes('sqlite')).map(({ text }) => text)
  const count = (pattern: RegExp, texts: string[]) => texts.flatMap(text => text.match(pattern) ?? []).length
  expect(count(/\beval\(|\bnew Function\(|document\.write\(|insertAdjacentHTML|outerHTML/g, scripts)).toBe(0)
  const preact = readFileSync(new URL(import.meta.resolve('preact')), 'utf8')
  expect(count(/\binnerHTML\b/g, scripts)).toBeLessThanOrEqual(count(/\binnerHTML\b/g, [preact]))
})

test('[APP-14.6] nothing that is built names another origin to fetch from', ({ files }) => {
  const html = page(files)
  expect(html).not.toMatch(/https?:\/\//)
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/)
  for (const { path, text } of files.filter(file => file.path.endsWith('.css')))
    expect(`${path} ${text}`).not.toMatch(/url\(["']?(?:https?:)?\/\//)
})

test('[APP-14.17] every library in the app goes with its licence', ({ files }) => {
  expect(files.length).toBeGreaterThan(10)
  const modules = JSON.parse(readFileSync(join(APP, '.modules.json'), 'utf8')) as Record<string, object>
  const ids = Object.values(modules).flatMap(each => Object.keys(each))
  const libraries = new Set(ids.flatMap(id => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []))
  expect([...libraries]).toEqual(expect.arrayContaining(['preact', 'ts-mls', '@evolu/sqlite-wasm']))
  const licences = readFileSync(join(APP, 'licences.txt'), 'utf8')
  for (const name of [...libraries, 'lucide-static', 'emojibase-data']) expect(licences).toContain(`==== ${name}`)
  expect(licences).toContain('Copyright (c) 2015-present Jason Miller')
  expect(readFileSync(join(APP, 'sw.js'), 'utf8')).toContain('"/licences.txt"')
})

test('[APP-7.6] every file that the page can request is in the list of files to store', ({ files }) => {
  const listed = (JSON.parse(readFileSync(join(APP, 'files.json'), 'utf8')) as { files: string[] }).files
  const served = files.map(({ path }) => (path === 'index.html' ? '/' : `/${path}`)).filter(path => path !== '/sw.js')
  expect(served.filter(path => !listed.includes(path))).toEqual([])
  expect(readFileSync(join(APP, 'sw.js'), 'utf8')).toContain(JSON.stringify(listed))
})

test('[APP-14.18] nothing is built that nobody fetches: no other thread and no other file system of SQLite', ({
  files,
}) => {
  expect(files.map(({ path }) => path).filter(path => /opfs-async-proxy|worker1/.test(path))).toEqual([])
  const sqlite = files.filter(({ path }) => /\/sqlite-[\w-]+\.js$/.test(path))
  expect(sqlite).toHaveLength(1)
  expect(/initWorker1API|Missing SharedArrayBuffer/.test(sqlite[0]?.text ?? '')).toBe(false)
})

/** Functions that a browser of the first versions in `docs/app.md` does not have, as a built script calls them. */
const NEWER =
  /\bURL\.parse\(|\bPromise\.try\(|\bRegExp\.escape\(|\bIterator\.from\(|\bError\.isError\(|\bMath\.sumPrecise\(|\bIntl\.DurationFormat\b|\.getOrInsert\(|\.(isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference)\(/

test('[APP-7.18] no script calls what the first supported versions of browsers do not have', ({ files }) => {
  const scripts = files.filter(({ path }) => path.endsWith('.js'))
  expect(scripts.flatMap(({ path, text }) => (NEWER.test(text) ? `${path}: ${NEWER.exec(text)?.[0]}` : []))).toEqual([])
})
