// swc parses `using`, but the visitor with which dependency-cruiser walks swc's tree does not know it and stops there.
// oxlint-disable typescript/no-deprecated -- dependency-cruiser uses this visitor, so it is the one to teach.

import type { Statement, VariableDeclarator } from '@swc/core'
import { Visitor } from '@swc/core/Visitor.js'

type UsingDeclaration = { type: 'UsingDeclaration'; decls: VariableDeclarator[] }

const visitKnown = Visitor.prototype.visitStatement

Visitor.prototype.visitStatement = function visitStatement(statement: Statement | UsingDeclaration): Statement {
  if (statement.type !== 'UsingDeclaration') return visitKnown.call(this, statement)
  this.visitVariableDeclarators(statement.decls)
  return statement as never
}
