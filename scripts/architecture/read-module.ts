// The references of a source file to other files, and its texts, read with a parser: comments and look-alikes do not count.
import { type Expression, parseSync, type StringLiteral, type TemplateLiteral, Visitor } from 'oxc-parser'
import { type Declared, readDeclarations } from './read-declarations.ts'

/** Something in a file, with the line on which it begins. */
export interface Mention {
  readonly text: string
  readonly line: number
}

export interface ModuleText {
  /** The specifiers of imports and exports, including types, and of files that are started as processes or workers. */
  readonly imports: readonly Mention[]
  /** Strings and templates. A placeholder in a template is `filledIn`. */
  readonly texts: readonly Mention[]
  readonly declares: readonly Declared[]
  /** Parse errors. */
  readonly faults: readonly string[]
}

/** Replaces placeholders in a template's text: a table's name must not be found across one. */
export const filledIn = '\u0000'

const sourceFile = /\.[cm]?[jt]sx?$/

const textOf = ({ quasis }: TemplateLiteral): string =>
  quasis.map(({ value }) => value.cooked ?? value.raw).join(filledIn)

/** The text of a string, or of a template without placeholders. */
const plainText = (node: Expression | undefined): string | undefined => {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return textOf(node)
  return undefined
}

const isImportMeta = (node: Expression | undefined, property: string): boolean =>
  node?.type === 'MemberExpression' &&
  node.object.type === 'MetaProperty' &&
  node.property.type === 'Identifier' &&
  node.property.name === property

const expressionsOf = (parts: readonly { readonly type: string }[]): Expression[] =>
  parts.filter((part): part is Expression => part.type !== 'SpreadElement')

/** As `new URL` reads it: `x.ts` is next to the file. */
const besides = (path: string): string => (path.startsWith('.') ? path : `./${path}`)

export const readModule = (path: string, source: string): ModuleText => {
  const found: { at: number; text: string; isImport: boolean }[] = []
  const add = (isImport: boolean, node: { readonly start: number }, text: string | undefined) => {
    if (text !== undefined) found.push({ at: node.start, text, isImport })
  }
  const computed: string[] = []
  const addSource = ({ source }: { readonly source: StringLiteral | null }) => {
    if (source !== null) add(true, source, source.value)
  }

  const { program, errors } = parseSync(path, source)
  new Visitor({
    ImportDeclaration: addSource,
    ExportNamedDeclaration: addSource,
    ExportAllDeclaration: addSource,
    TSImportType: addSource,
    TSExternalModuleReference: node => add(true, node, node.expression.value),
    ImportExpression: node => {
      const path = plainText(node.source)
      if (path === undefined) computed.push('the path of an import() is put together when it runs.')
      add(true, node, path)
    },
    CallExpression: node => {
      const [first] = expressionsOf(node.arguments)
      const { callee } = node
      const isRequire = callee.type === 'Identifier' && callee.name === 'require'
      if (isRequire || isImportMeta(callee, 'resolve')) add(true, node, plainText(first))
    },
    NewExpression: node => {
      const [first, base] = expressionsOf(node.arguments)
      const file = plainText(first)
      const isHere = node.callee.type === 'Identifier' && node.callee.name === 'URL' && isImportMeta(base, 'url')
      if (isHere && file !== undefined && sourceFile.test(file)) add(true, node, besides(file))
    },
    Literal: node => add(false, node, plainText(node)),
    TemplateLiteral: node => add(false, node, textOf(node)),
  }).visit(program)

  const mention = ({ at, text }: { at: number; text: string }): Mention => ({
    text,
    // Computed on demand: most mentions are in order, and need no line.
    get line() {
      return source.slice(0, at).split('\n').length
    },
  })
  return {
    imports: found.filter(one => one.isImport).map(mention),
    texts: found.filter(one => !one.isImport).map(mention),
    declares: readDeclarations(program),
    faults: [...errors.map(error => error.message), ...computed],
  }
}
