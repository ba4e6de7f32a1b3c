// The top-level declarations of a source file: functions, types and values, and which of them it exports.
import type { Declaration, Program, VariableDeclarator } from 'oxc-parser'

export interface Declared {
  readonly name: string
  readonly kind: 'function' | 'type' | 'value'
  readonly isExported: boolean
}

const isFunction = ({ init }: VariableDeclarator): boolean =>
  init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression'

const declaredBy = (node: Declaration | Program['body'][number]): Omit<Declared, 'isExported'>[] => {
  if (node.type === 'VariableDeclaration')
    return node.declarations.flatMap(one =>
      one.id.type === 'Identifier' ? [{ name: one.id.name, kind: isFunction(one) ? 'function' : 'value' }] : [],
    )
  if (node.type === 'FunctionDeclaration') return [{ name: node.id?.name ?? '', kind: 'function' }]
  const isType =
    node.type === 'ClassDeclaration' || node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration'
  return isType ? [{ name: node.id?.name ?? '', kind: 'type' }] : []
}

export const readDeclarations = ({ body }: Program): Declared[] => {
  const exportedLater = new Set(
    body.flatMap(node =>
      node.type === 'ExportNamedDeclaration' && node.source === null
        ? node.specifiers.map(({ local }) => (local.type === 'Identifier' ? local.name : ''))
        : [],
    ),
  )
  return body.flatMap(node => {
    const isExport = node.type === 'ExportNamedDeclaration'
    const declaration = isExport ? node.declaration : node
    if (declaration === null) return []
    return declaredBy(declaration).map(one => ({
      ...one,
      isExported: isExport || exportedLater.has(one.name),
    }))
  })
}
