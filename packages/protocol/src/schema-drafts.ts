// Tables whose number was used for several shapes while it was new: those that did not stay are refused by name.
import { CodedError } from './errors.ts'

/** `lacks`: `table.column` of the shape that stayed. `openedBy`: the newest commit whose program has the other shape. */
export type SchemaDraft = { schema: number; lacks: `${string}.${string}`; openedBy: string }

export type FoundSchema = { schema: number; directory: string; has(table: string, column: string): boolean }

/** Throws `database-too-old`. */
export function refuseDraft(drafts: readonly SchemaDraft[], { schema, directory, has }: FoundSchema): void {
  for (const draft of drafts) {
    const [table = '', column = ''] = draft.lacks.split('.')
    if (draft.schema === schema && !has(table, column))
      throw new CodedError('database-too-old', { directory, version: `the sources at commit ${draft.openedBy}` })
  }
}
