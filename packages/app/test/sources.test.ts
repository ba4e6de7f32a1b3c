// The rules for all sources of the app: used styles, no HTML from text, no physical left and right.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (pattern: string) =>
  globSync(pattern, { cwd: root }).map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))

const sheets = read('src/**/*.css').map(({ path, text }) => ({ path, text: text.replaceAll(/\/\*[\s\S]*?\*\//g, '') }))
const sources = read('src/**/*.{ts,tsx}')

/** Selectors only: innermost braces contain declarations. */
const selectorsOf = (css: string) => css.replaceAll(/\{[^{}]*\}/g, '{}').replaceAll(/@(?:media|keyframes)[^{]*/g, '')
const classesIn = (css: string) => [...selectorsOf(css).matchAll(/\.(-?[a-z][\w-]*)/gi)].map(match => match[1] ?? '')

/** From `class={` to its closing brace, without values that are only compared. */
function classExpressions(text: string): string[] {
  return [...text.matchAll(/\bclass=(?:"([^"]*)"|\{)/g)].map(match => {
    if (match[1] !== undefined) return `'${match[1]}'`
    let depth = 1
    let end = match.index + match[0].length
    for (; depth > 0; end++) depth += { '{': 1, '}': -1 }[text[end] ?? ''] ?? 0
    return text.slice(match.index + match[0].length, end - 1).replaceAll(/[!=]==\s*'[^']*'/g, '')
  })
}

/** Words of the literals in an expression. One that ends in `…` is a prefix: `avatar-${size}`. */
const namedIn = (expression: string): string[] =>
  [...expression.matchAll(/'([^']*)'|`([^`]*)`/g)]
    .map(match => match[1] ?? match[2] ?? '')
    .flatMap(literal => literal.replaceAll(/\$\{[^}]*\}/g, '…').split(/\s+/))
    .filter(word => word !== '' && !word.startsWith('…'))

describe('styles', () => {
  const styled = new Set(sheets.flatMap(({ text }) => classesIn(text)))

  test('[APP-9.12] every class that is named has a rule', () => {
    const named = sources.flatMap(({ path, text }) =>
      classExpressions(text)
        .flatMap(namedIn)
        .map(name => ({ path, name })),
    )
    expect(named.length).toBeGreaterThan(50)
    const isStyled = (name: string) =>
      name.endsWith('…') ? [...styled].some(other => other.startsWith(name.slice(0, -1))) : styled.has(name)
    expect(named.filter(({ name }) => !isStyled(name))).toEqual([])
  })

  test('[APP-9.12] every rule is for a class that is named', () => {
    const all = sources.map(({ text }) => text).join('\n')
    const words = new Set(all.match(/[a-z][\w-]*/gi))
    const begun = [...all.matchAll(/([a-z][\w-]*-)\$\{/gi)].map(match => match[1] ?? '')
    const isNamed = (name: string) => words.has(name) || begun.some(start => name.startsWith(start))
    expect([...styled].filter(name => !isNamed(name))).toEqual([])
  })

  test('[APP-9.12] two sheets do not begin with the same class: the order in which they are loaded would decide', () => {
    const owners = new Map<string, Set<string>>()
    for (const { path, text } of sheets) {
      for (const [, name = ''] of selectorsOf(text).matchAll(/(?:^|[},])\s*\.([a-z][\w-]*)/gi)) {
        owners.set(name, (owners.get(name) ?? new Set()).add(path))
      }
    }
    expect(owners.size).toBeGreaterThan(50)
    expect([...owners].filter(([, paths]) => paths.size > 1).map(([name]) => name)).toEqual([])
  })

  test('[APP-9.13] no sheet knows left and right, or a colour of its own', () => {
    const physical =
      /(?:^|[;{\s])(?:(?:(?:margin|padding|border|scroll-margin|scroll-padding|inset)-)?(?:left|right)\b[\w-]*|border-(?:top|bottom)-(?:left|right)-radius)\s*:|(?:text-align|float|clear)\s*:\s*(?:left|right)/m
    const colour = /#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(/i
    const bad = sheets.filter(
      ({ path, text }) => physical.test(text) || (!path.endsWith('tokens.css') && colour.test(text)),
    )
    expect(bad.map(({ path }) => path)).toEqual([])
  })

  test('[APP-9.13] every token that is used exists', () => {
    const all = sheets.map(({ text }) => text).join('\n')
    const set = new Set(
      [...`${all}\n${sources.map(({ text }) => text).join('\n')}`.matchAll(/(--[\w-]+)['"]?\s*[:,]/g)].map(
        match => match[1],
      ),
    )
    const used = [...all.matchAll(/var\((--[\w-]+)/g)].map(match => match[1])
    expect(used.filter(name => !set.has(name))).toEqual([])
  })
})

describe('sources', () => {
  test('[APP-9.13] none sets HTML from text, or a style in markup, or runs text', () => {
    const bad =
      /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|srcdoc|\bstyle="|\beval\(|new Function\(|href=\{`?javascript/
    const found = [...sources, ...read('index.html'), ...read('public/**/*.{js,html}')].filter(({ text }) =>
      bad.test(text),
    )
    expect(found.map(({ path }) => path)).toEqual([])
  })

  test('[APP-9.13] a window that is opened, and a link to elsewhere, gets no hold of this one', () => {
    for (const { path, text } of sources) {
      const opened = text.match(/window\.open\(|target="_blank"/g)?.length ?? 0
      expect({ path, opened: text.match(/noopener[ ,]noreferrer/g)?.length ?? 0 }).toEqual({ path, opened })
    }
  })

  test('[APP-9.17] whoever shows an icon that is not there from the start imports it', () => {
    const lazy = sources.find(({ path }) => path.endsWith('/lazy-icons.ts'))?.text ?? ''
    const names = [...lazy.matchAll(/^ {2}'?([a-z0-9-]+)'?:/gm)].map(match => match[1] ?? '')
    expect(names.length).toBeGreaterThan(10)
    const shows = (text: string) =>
      names.filter(name => new RegExp(`\\b(?:icon|name)=(?:"${name}"|\\{[^}]*'${name}')|: '${name}'`).test(text))
    const lacking = sources
      .filter(
        ({ path, text }) => path.endsWith('.tsx') && shows(text).length > 0 && !text.includes('with-lazy-icons.ts'),
      )
      .map(({ path }) => path)
    expect(lacking).toEqual([])
    expect(sources.filter(({ text }) => shows(text).length > 0).length).toBeGreaterThan(8)
  })
})
