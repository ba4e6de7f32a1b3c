// The document checks on small projects in memory: faults must be named, and correct documents must pass.
import { describe, expect, test } from 'vitest'
import { makeApiPage } from '../documents/api-page.ts'
import { checkApiPage } from '../documents/check-api-page.ts'
import { uncitedTests } from '../documents/check-citations.ts'
import { checkDependencies } from '../documents/check-dependencies.ts'
import { checkLockfile } from '../documents/check-lockfile.ts'
import { checkPaths } from '../documents/check-paths.ts'
import { checkProse } from '../documents/check-prose.ts'
import { checkRules } from '../documents/check-rules.ts'
import { checkSite } from '../documents/check-site.ts'
import { checkSnippets } from '../documents/check-snippets.ts'
import { checkWords } from '../documents/check-words.ts'
import { commentsOf, idiomsIn, sentencesOf, textOf } from '../documents/prose.ts'
import type { Project } from '../project.ts'
import { pageText } from '../site/site-pages.ts'
import { checkBlocks } from '../snippets/check-blocks.ts'

const projectOf = (files: Readonly<Record<string, string>>): Project => ({
  paths: Object.keys(files),
  read: path => files[path] ?? '',
  installedLicence: name => (name === 'ws' ? 'MIT' : undefined),
})

const fenced = (language: string, text: string): string => `Text.\n\n\`\`\`${language}\n${text}\n\`\`\`\n`

describe('blocks', () => {
  const files = { 'deploy/proxy/nginx.conf': 'server {\n  listen 443;\n}\n' }
  const problemsIn = (text: string, document = 'docs/relay.md') =>
    checkBlocks(projectOf({ ...files, [document]: text })).filter(problem => problem.startsWith(document))

  test.each([
    fenced('sh', 'npm test'),
    fenced('json', '{}'),
    fenced('ini', '# /etc/postern/relay.env\nLOG_LEVEL=debug'),
    fenced('text', '# deploy/proxy/nginx.conf\n  listen 443;'),
    fenced('sh', 'npm run --silent postern -- relay move'),
  ])('in order: %s', text => {
    expect(problemsIn(text)).toEqual([])
  })

  test.each([
    [
      fenced('yaml', 'route:'),
      'docs/relay.md:4: no test types this block. Add a row to scripts/snippets/untried.ts, with the test or a reason.',
    ],
    [
      fenced('text', '# deploy/proxy/nginx.conf\n  listen 80;'),
      'docs/relay.md:4: deploy/proxy/nginx.conf does not contain this text.',
    ],
    [
      fenced('text', '# deploy/proxy/gone.conf\n  listen 443;'),
      'docs/relay.md:4: deploy/proxy/gone.conf does not contain this text.',
    ],
  ])('not in order: %s', (text, problem) => {
    expect(problemsIn(text)).toEqual([problem])
  })

  test('documents for others than readers may show anything', () => {
    expect(problemsIn(fenced('yaml', 'route:'), 'CONTRIBUTING.md')).toEqual([])
  })
})

describe('paths', () => {
  const files = {
    'docs/architecture.md': '# The parts\n## One & two\n## One & two\n',
    'packages/core/src/client.ts': '',
  }
  const problemsIn = (text: string, document = 'README.md') => checkPaths(projectOf({ ...files, [document]: text }))

  test.each([
    '[parts](docs/architecture.md)',
    '[parts](./docs/architecture.md#the-parts) and [again](docs/architecture.md#one--two-1)',
    '[web](https://example.org/docs/gone.md) and [mail](mailto:a@example.org)',
    '# Start here\n[up](#start-here)',
    '`packages/core/src/client.ts`, `packages/core/src/client.ts:12`, `packages/core/`, `packages/*/src/{client,gone}.ts`',
    '`packages.json` and `GET /v1/docs/gone` and ``[a](gone.md)``',
    '[parts]: docs/architecture.md',
    fenced('ts', "import 'packages/gone.ts' // [x](gone.md)"),
  ])('in order: %s', text => {
    expect(problemsIn(text)).toEqual([])
  })

  test.each([
    ['[parts](docs/gone.md)', 'README.md:1: docs/gone.md leads to docs/gone.md, which does not exist.'],
    ['\n[parts](docs/architecture.md#gone)', 'README.md:2: docs/architecture.md has no heading #gone.'],
    ['[parts]: docs/gone.md', 'README.md:1: docs/gone.md leads to docs/gone.md, which does not exist.'],
    ['see `packages/core/src/gone.ts`', 'README.md:1: packages/core/src/gone.ts does not exist.'],
    ['see `packages/*/src/gone*.ts`', 'README.md:1: packages/*/src/gone*.ts does not exist.'],
    [fenced('sh', 'node scripts/gone.ts'), 'README.md:4: scripts/gone.ts does not exist.'],
  ])('not in order: %s', (text, problem) => {
    expect(problemsIn(text)).toEqual([problem])
  })

  test("a package's document may speak of the package's own folders", () => {
    expect(problemsIn('`src/client.ts` and `src/gone.ts`', 'packages/core/SPEC.md')).toEqual([
      'packages/core/SPEC.md:1: packages/core/src/gone.ts does not exist.',
    ])
  })

  test('a link leads from the folder of its document', () => {
    expect(problemsIn('[up](../README.md) [here](architecture.md)', 'docs/guide.md')).toEqual([
      'docs/guide.md:1: ../README.md leads to README.md, which does not exist.',
    ])
  })
})

describe('snippets', () => {
  const problemsIn = (text: string) =>
    checkSnippets(projectOf({ 'package.json': '{ "scripts": { "start": "", "postern": "" } }', 'README.md': text }))

  test.each([
    fenced('sh', 'npm ci && npm start\nnpm run --silent postern -- person --name bob'),
    fenced('sh', 'npm start # and npm gone is no command\ncat package.json'),
    fenced('json', '{ "text": "hello" }'),
    fenced('jsonl', '{"id": 1}\n{"id": 2}'),
    fenced('text', 'npm run gone'),
  ])('in order: %s', text => {
    expect(problemsIn(text)).toEqual([])
  })

  test.each([
    [fenced('sh', 'npm ci && npm test'), 'README.md:4: package.json has no script "test".'],
    [fenced('sh', 'npm run --silent gone -- --name bob'), 'README.md:4: package.json has no script "gone".'],
    [fenced('sh', 'npm postern'), 'README.md:4: npm has no command "postern".'],
    [fenced('json', '{ text: 1 }'), expect.stringMatching(/^README\.md:4: not JSON: /)],
    [fenced('jsonl', '{"id": 1}\n{"id": }'), expect.stringMatching(/^README\.md:4: not JSON: /)],
  ])('not in order: %s', (text, problem) => {
    expect(problemsIn(text)).toEqual([problem])
  })
})

describe('rules and the tests that name them', () => {
  const problemsIn = (specification: string, tests: string) =>
    checkRules(projectOf({ 'packages/relay/SPEC.md': specification, 'packages/relay/test/store.test.ts': tests }))

  test('each has the other, whichever package the test is in', () => {
    const specification =
      '# Rules\n## 1. First\n- **RELAY-1.1** one, unlike RELAY-2.1.\nRELAY-1.2 two\n## 2. Then\n| RELAY-2.1 | three |\n'
    const project = projectOf({
      'packages/relay/SPEC.md': specification,
      'packages/relay/test/store.test.ts': "test('[RELAY-1.1] one')",
      'e2e/test/all.test.ts': 'test(`[RELAY-1.2, RELAY-2.1] two and ${three}`)',
    })
    expect(checkRules(project)).toEqual([])
  })

  test('a rule without a test, and a test without a rule', () => {
    expect(
      problemsIn('## 1. A\nRELAY-1.1 one\nRELAY-1.2 two', "test('[RELAY-1.1] one')\ntest('[CORE-1.7] seven')"),
    ).toEqual([
      'packages/relay/SPEC.md: no test is named [RELAY-1.2].',
      'packages/relay/test/store.test.ts: [CORE-1.7] is no rule of any SPEC.md.',
    ])
  })

  test('a comment is no test', () => {
    expect(problemsIn('## 1. A\nRELAY-1.1 one', '// [RELAY-1.1] one')).toEqual([
      'packages/relay/SPEC.md: no test is named [RELAY-1.1].',
    ])
  })

  test.each([
    [
      'used twice',
      '## 1. A\nRELAY-1.1 one\nRELAY-1.1 again',
      'packages/relay/SPEC.md:3: RELAY-1.1 stands where RELAY-1.2 should.',
    ],
    ['of another part', '## 1. A\nCORE-1.1 one', 'packages/relay/SPEC.md:2: CORE-1.1 stands where RELAY-1.1 should.'],
    [
      'of another section',
      '## 1. A\n## 2. B\nRELAY-1.1 one',
      'packages/relay/SPEC.md:3: RELAY-1.1 stands where RELAY-2.1 should.',
    ],
    ['in a section without its number', '## A\nRELAY-1.1 one', 'packages/relay/SPEC.md:1: the section is number 1.'],
  ])('an id %s', (_what, specification, problem) => {
    expect(problemsIn(specification, "test('[RELAY-1.1, CORE-1.1] one')")).toContain(problem)
  })

  test('a rule that is spoken of but not there', () => {
    expect(problemsIn('## 1. A\nRELAY-1.1 one, see RELAY-9 and RFC-1', "test('[RELAY-1.1] one')")).toEqual([
      'packages/relay/SPEC.md:2: there is no rule RELAY-9.',
    ])
  })

  test('a specification that states nothing', () => {
    expect(problemsIn('# Rules\nR7 without its part', '')).toEqual([
      'packages/relay/SPEC.md: states no rule; a rule is a line that begins with its id, RELAY-1.1.',
    ])
  })
})

describe('tests that cite no rule', () => {
  const linesIn = (text: string) => uncitedTests('packages/relay/test/a.test.ts', text)

  test.each([
    ['its own name', "test('[RELAY-1.1] one', () => {})"],
    ['a name around it', "describe('[RELAY-1.1] all of it', () => {\n  test('one', () => {})\n})"],
    ['a name in a table', "test.for([1])('[RELAY-1.1] %i', () => {})"],
    ['a template', 'test(`[RELAY-1.1] ${what}`, () => {})'],
    ['what is no test', "expect('one').toBe(name('two'))"],
  ])('%s cites one', (_what, text) => {
    expect(linesIn(text)).toEqual([])
  })

  test.each([
    ['by itself', "test('one', () => {})", [1]],
    ['in a table', "\ntest.each([1])('%i', () => {})", [2]],
    ['a variant', "inRelayTime('one', () => {})", [1]],
    ['beside one that does', "test('[RELAY-1.1] one', () => {})\ntest('two', () => {})", [2]],
  ])('%s: found', (_what, text, lines) => {
    expect(linesIn(text)).toEqual(lines)
  })
})

test('a lockfile that records a download address, and one that knows workspaces alone', () => {
  const problemsIn = (resolved: string) =>
    checkLockfile(projectOf({ 'package-lock.json': `{\n  "resolved": "${resolved}"\n}` }))
  expect(problemsIn('packages/core')).toEqual([])
  expect(problemsIn('https://example.org/zod.tgz')).toEqual(['package-lock.json:2: records a download address.'])
})

describe('dependencies', () => {
  const problemsIn = (table: string, manifest: string, other = '{}') =>
    checkDependencies(
      projectOf({ 'docs/dependencies.md': table, 'package.json': manifest, 'packages/core/package.json': other }),
    )
  const manifest = '{ "devDependencies": { "ws": "8.0.0", "@postern/core": "0.1.0" } }'

  test('a row for each', () => {
    expect(problemsIn('| `ws` | MIT | Sockets. |', manifest)).toEqual([])
  })

  test('no row, and a row for nothing', () => {
    expect(problemsIn('| `zod` | MIT | Schemas. |', manifest)).toEqual([
      'docs/dependencies.md: ws has no row.',
      'docs/dependencies.md: zod is in no package.json.',
    ])
  })

  test('a row without a licence, with another licence than the package, without a sentence', () => {
    expect(problemsIn('| `ws` | | Sockets. |', manifest)).toEqual(['docs/dependencies.md: ws has no licence.'])
    expect(problemsIn('| `ws` | ISC | Sockets. |', manifest)).toEqual([
      'docs/dependencies.md: ws is under MIT, not ISC.',
    ])
    expect(problemsIn('| `ws` | MIT | |', manifest)).toEqual([
      'docs/dependencies.md: ws needs a sentence that says why it is there.',
    ])
  })

  test('versions are exact, and the same everywhere', () => {
    expect(problemsIn('| `ws` | MIT | Sockets. |', '{ "dependencies": { "ws": "^8.0.0" } }')).toEqual([
      'package.json: ws ^8.0.0 is not an exact version.',
    ])
    const two = problemsIn('| `ws` | MIT | Sockets. |', manifest, '{ "dependencies": { "ws": "8.0.1" } }')
    expect(two).toContain('package.json: ws is 8.0.0 here and 8.0.1 in packages/core/package.json.')
  })
})

describe('words', () => {
  test.each([
    ['README.md', 'Look into /tmp/postern.', '"/tmp/" is a path of one machine'],
    ['docs/a.md', 'cd /home/alice/postern', '"/home/" is a path of one machine'],
    ['README.md', 'from registry.example.org', '"registry.example.org" names a package registry'],
    ['.npmrc', 'registry=https://packages.example.org', 'names a package registry'],
    ['package-lock.json', '"resolved": "https://example.org/a.tgz"', 'names the place a package was loaded from'],
  ])('%s: %s', (path, text, problem) => {
    expect(checkWords(projectOf({ [path]: text }))).toEqual([expect.stringContaining(problem)])
  })

  test.each(['docs/tmp/a.md', 'https://example.org/work/a', './work/a', '`/v1/updates`'])('in order: %s', text => {
    expect(checkWords(projectOf({ 'README.md': text }))).toEqual([])
  })
})

describe('prose', () => {
  const problemsIn = (text: string) => checkProse(projectOf({ 'docs/relay.md': text }))
  const words = (count: number) => Array.from({ length: count }, () => 'word').join('\n')

  test.each([
    ['a line of 200 characters', 'a'.repeat(200)],
    ['a link with a long target', `[here](https://example.org/${'a'.repeat(300)})`],
    ['a long row of a table, and a long heading', `| ${'a '.repeat(200)} |\n\n# ${'a '.repeat(200)}`],
    ['a long line of a block', fenced('sh', `echo ${'a'.repeat(300)}`)],
    ['120 words, and 120 more in the next paragraph and in an item', `${words(120)}\n\n${words(120)}\n- ${words(120)}`],
    ['a question', 'What is a relay? Who runs it?'],
    ['a phrase in a code span', 'It prints `is told anew`.'],
    ['a phrase that looks like one', 'You have so many chats that the list scrolls. The alert goes off. Of course.'],
    ['a title', '# What the relay stores'],
  ])('in order: %s', (_what, text) => {
    expect(problemsIn(text)).toEqual([])
  })

  test.each([
    ['a long line', `\n${'a'.repeat(201)}`, 'docs/relay.md:2: the line has 201 characters. Use at most 200.'],
    ['a long paragraph', words(121), 'docs/relay.md:1: the paragraph has 121 words. Use at most 120.'],
    ['a long item', `- one\n- ${words(121)}`, 'docs/relay.md:2: the paragraph has 121 words. Use at most 120.'],
  ])('not in order: %s', (_what, text, problem) => {
    expect(problemsIn(text)).toEqual([problem])
  })

  test.each([
    ['The page is for who looks.', 'headless clause after a preposition'],
    ['It shows whoever asks the key.', 'headless clause after a preposition'],
    ['It is late. Who asks gets nothing.', 'headless clause as a subject'],
    ['What is stored\nis delivered.', 'headless clause as a subject'],
    ['The sender is told.', 'is told, is said, is heard'],
    ['Of a small disk a part is free.', 'fronted "Of …"'],
    ['The file lies in a folder.', '"stands" or "lies" for "is"'],
    ['It allows only so many.', '"so many"'],
    ['It starts anew.', '"anew", "at once", "by itself"'],
    ['Work goes on.', '"goes on"'],
  ])('not in order: %s', (text, name) => {
    expect(problemsIn(text)).toEqual([expect.stringContaining(`docs/relay.md:1: ${name}`)])
  })

  test('line comments that follow one another are one paragraph, and a directive is none', () => {
    const source = '// One is\n// told. Two.\nconst a = 1\n/** Three. */\n// oxlint-disable-next-line a -- is told\n'
    const sentences = commentsOf('a.ts', source).flatMap(comment => sentencesOf(textOf(comment)))
    expect(sentences.filter(sentence => idiomsIn(sentence).length > 0)).toEqual(['One is told.'])
  })
})

describe('prose of comments', () => {
  const problemsIn = (files: Record<string, string>) => checkProse(projectOf(files))

  test.each([
    ['src/a.ts', '// The sender is told.', 'is told, is said, is heard'],
    ['src/a.tsx', '/** Who asks gets nothing. */', 'headless clause as a subject'],
    ['bin/a.mjs', '/**\n * Who asks gets\n * nothing.\n */', 'headless clause as a subject'],
    ['bin/a.cjs', 'let a = 1 // It starts anew.', '"anew", "at once", "by itself"'],
  ])('not in order: %s: %s', (path, source, name) => {
    expect(problemsIn({ [path]: source })).toEqual([expect.stringContaining(`${path}:1: ${name}`)])
  })

  test.each([
    '// It starts again.',
    "const text = 'is told anew'",
    '// Prints `is told anew`.',
    `// ${'a '.repeat(300)}`,
  ])('in order: %s', source => {
    expect(problemsIn({ 'src/a.ts': source })).toEqual([])
  })
})

describe('the page of the API', () => {
  test('is in order when it was made from the table of endpoints as it is', () => {
    expect(checkApiPage(projectOf({ 'docs/api.md': makeApiPage() }))).toEqual([])
  })

  test.each([{}, { 'docs/api.md': makeApiPage().replace('4096', '4095') }])('is stale otherwise: case %$', files => {
    expect(checkApiPage(projectOf(files))).toEqual(['docs/api.md: it is stale; run npm run api-page.'])
  })
})

describe('the site', () => {
  test('every page of docs is in its menu', () => {
    const pages = { 'docs/README.md': '', 'docs/guide/README.md': '', 'docs/guide/send.md': '', 'docs/relay.md': '' }
    const problems = checkSite(projectOf({ ...pages, 'site/.vitepress/config.mjs': "['/guide/', '/relay']" }))
    expect(problems).toEqual(['site/.vitepress/config.mjs: /guide/send is not in the menu.'])
  })

  test.each([
    ['docs/guide/send.md', '[a](../relay.md#its-hosts)', '[a](../relay.md#its-hosts)'],
    ['docs/relay.md', '[a](guide/README.md)', '[a](./guide/index.md)'],
    ['docs/relay.md', '[a](../CHANGELOG.md#upgrading)', '[a](./CHANGELOG.md#upgrading)'],
    ['CHANGELOG.md', '[a](docs/relay.md)', '[a](./relay.md)'],
    ['docs/relay.md', '[a](#limits) [b](https://example.org/a.md)', '[a](#limits) [b](https://example.org/a.md)'],
    ['docs/relay.md', '[the unit](../deploy/a.service)', 'the unit (`deploy/a.service`)'],
    ['docs/relay.md', '<!-- Alice: {"do": "me"} -->\n\nText', 'Text'],
  ])('%s: %s', (path, text, inSite) => {
    expect(pageText(text, path)).toBe(inSite)
  })
})
