// The patch of ts-mls and our use of its modules stay small enough to review, and PATCH.md describes them.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const patch = read('../../../patches/ts-mls+1.6.4.patch')
const document = read('../PATCH.md')
const [changes = '', , modules = ''] = document.split(/^## /m).slice(1)

describe('[MLS-8.13] the patch of ts-mls', () => {
  it('has at most 500 lines, and each file that it changes is described', () => {
    expect(patch.split('\n').length).toBeLessThanOrEqual(500)
    const changed = [...patch.matchAll(/^\+\+\+ b\/node_modules\/ts-mls\/dist\/src\/(\S+)$/gm)].map(([, file]) => file)
    expect(changed.length).toBeGreaterThan(0)
    expect(changed.filter(file => !changes.includes(`\`${file}\``))).toEqual([])
  })
  it('and every name that we import from a module of the library is listed', () => {
    const folder = new URL('../src/', import.meta.url)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'))
    const imported = files.flatMap(file => {
      const source = readFileSync(new URL(file, folder), 'utf8')
      return [...source.matchAll(/^import (?:\{([^}]*)\}|\* as \w+) from 'ts-mls\/(\S+)'$/gm)].flatMap(
        ([, names, module]) =>
          (names ?? 'posternPatch').split(',').map(name => `${module} ${name.trim().split(' ')[0]}`),
      )
    })
    const listed = [...modules.matchAll(/^\| `(\S+)` \| ([^|]+)/gm)].flatMap(([, module, names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => `${module} ${name}`),
    )
    expect([...new Set(imported)].filter(name => !name.endsWith(' ')).sort()).toEqual(listed.sort())
  })
})
