// A parsed template: a tree without code. Only `parseTemplate` makes one.
import type { RenderBudget } from './render-budget.ts'

/** Undefined for a value that is missing. Never throws, except for an exceeded limit. */
export type TemplateFilter = (value: unknown, budget: RenderBudget) => unknown

/** `index` and `rest` belong to the nearest `each`. */
export type TemplatePath = { kind: 'names'; names: readonly string[] } | { kind: 'index' } | { kind: 'rest' }

type Branches = { path: TemplatePath; body: TemplateNode[]; otherwise: TemplateNode[] }

export type TemplateNode =
  | { kind: 'text'; text: string }
  | { kind: 'value'; path: TemplatePath; filters: readonly TemplateFilter[] }
  | ({ kind: 'if' | 'unless' } & Branches)
  | ({ kind: 'each'; limit: number | undefined } & Branches)

export type Template = readonly TemplateNode[]
