// Renders a template with a posted body. The result is a plain text.
import { cleanText } from '../texts/clean.ts'
import { RenderBudget } from './render-budget.ts'
import type { Template, TemplateNode, TemplatePath } from './template.ts'
import { isTrue, ownField, readValue, textOf } from './values.ts'

/** Paths begin here: at the body, or at an item of a list. `around` is the next place to look. */
type Scope = { value: unknown; index: number; rest: number; around: Scope | undefined }

/** Throws `bad-field` when a limit is exceeded, and nothing else. */
export function renderTemplate(template: Template, body: unknown): string {
  const rendering = new Rendering()
  rendering.write(template, { value: body, index: 0, rest: 0, around: undefined })
  return cleanText(rendering.text).trim()
}

class Rendering {
  readonly #budget = new RenderBudget()
  text = ''

  write(nodes: readonly TemplateNode[], scope: Scope): void {
    for (const node of nodes) {
      this.#budget.spend()
      this.#writeNode(node, scope)
    }
  }

  #writeNode(node: TemplateNode, scope: Scope): void {
    switch (node.kind) {
      case 'text':
        this.#put(node.text)
        return
      case 'value': {
        let value = this.#valueAt(node.path, scope)
        for (const filter of node.filters) {
          this.#budget.spend()
          value = filter(value, this.#budget)
        }
        this.#put(textOf(value, this.#budget))
        return
      }
      case 'if':
      case 'unless': {
        const isMet = isTrue(this.#valueAt(node.path, scope), this.#budget) === (node.kind === 'if')
        this.write(isMet ? node.body : node.otherwise, scope)
        return
      }
      case 'each':
        this.#writeEach(node, scope)
    }
  }

  #writeEach({ path, limit, body, otherwise }: Extract<TemplateNode, { kind: 'each' }>, scope: Scope): void {
    const value = this.#valueAt(path, scope)
    const items: readonly unknown[] = Array.isArray(value) ? value : []
    if (items.length === 0) {
      this.write(otherwise, scope)
      return
    }
    const count = Math.min(items.length, limit ?? items.length)
    for (let index = 0; index < count; index++) {
      this.#budget.spend()
      const rest = index === count - 1 ? items.length - count : 0
      this.write(body, { value: items[index], index, rest, around: scope })
    }
  }

  #put(text: string): void {
    this.#budget.write(text)
    this.text += text
  }

  #valueAt(path: TemplatePath, scope: Scope): unknown {
    switch (path.kind) {
      case 'index':
        return scope.index
      case 'rest':
        return scope.rest
      case 'names':
        return readValue(this.#lookUp(path.names, scope), this.#budget)
    }
  }

  /** The first name is looked up in the item, then in what is around it. */
  #lookUp([first = '', ...rest]: readonly string[], scope: Scope): unknown {
    this.#budget.spend(rest.length)
    let found: { value: unknown } | undefined
    for (let at: Scope | undefined = scope; at && !found; at = at.around) found = ownField(at.value, first)
    for (const name of rest) found = found && ownField(found.value, name)
    return found?.value
  }
}
