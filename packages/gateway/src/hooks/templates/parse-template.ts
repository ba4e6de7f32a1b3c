// Parses a template. Anything that the language does not have is refused, with its place.
import { hookLimits, utf8 } from '@postern/protocol'
import { makeFilter } from './filters.ts'
import { type ReadTag, readTag, type TagFault } from './read-tag.ts'
import type { Template, TemplateFilter, TemplateNode } from './template.ts'
import { templateFault } from './template-fault.ts'

const { bytesMax, nodesMax, depthMax } = hookLimits.template

type Block = Exclude<TemplateNode, { kind: 'text' } | { kind: 'value' }>
type OpenBlock = { node: Block; at: number; hasElse: boolean }
type Tag = { read: ReadTag; at: number }

export function parseTemplate(source: string): Template {
  if (utf8(source).length > bytesMax) throw templateFault(`must have at most ${bytesMax} bytes`)
  return new Parser(source).parse()
}

class Parser {
  readonly #source: string
  readonly #root: TemplateNode[] = []
  readonly #open: OpenBlock[] = []
  #nodes = 0

  constructor(source: string) {
    this.#source = source
  }

  parse(): Template {
    for (let at = 0; at < this.#source.length; ) {
      const start = this.#source.indexOf('{{', at)
      const textEnd = start < 0 ? this.#source.length : start
      if (textEnd > at) this.#add({ kind: 'text', text: this.#source.slice(at, textEnd) }, at)
      at = start < 0 ? textEnd : this.#readTag(start)
    }
    const unclosed = this.#open.at(-1)
    if (unclosed) throw this.#fault(unclosed.at, `must close this block with {{/${unclosed.node.kind}}}`)
    return this.#root
  }

  /** Returns the end of the tag. */
  #readTag(start: number): number {
    const end = tagEnd(this.#source, start + 2)
    if (end === undefined) throw this.#fault(start, 'must end this tag with }}')
    const read = readTag(this.#source.slice(start + 2, end))
    if (isFault(read)) throw this.#fault(start + 2 + read.at, read.fault)
    this.#apply({ read, at: start })
    return end + 2
  }

  #apply({ read, at }: Tag): void {
    switch (read.kind) {
      case 'value':
        this.#assertPlace(read.path.kind, at)
        this.#add({ kind: 'value', path: read.path, filters: this.#filtersOf(read, at) }, at)
        return
      case 'open':
        this.#assertPlace(read.path.kind, at)
        this.#openBlock({ ...read, at })
        return
      case 'else':
        this.#else(at)
        return
      case 'close':
        this.#close(read.block, at)
    }
  }

  #openBlock({ block, path, limit, at }: Extract<ReadTag, { kind: 'open' }> & { at: number }): void {
    const branches = { path, body: [], otherwise: [] }
    const node: Block = block === 'each' ? { kind: block, limit, ...branches } : { kind: block, ...branches }
    this.#add(node, at)
    if (this.#open.length === depthMax) throw this.#fault(at, `must have at most ${depthMax} blocks in each other`)
    this.#open.push({ node, at, hasElse: false })
  }

  #else(at: number): void {
    const block = this.#open.at(-1)
    if (!block || block.hasElse) throw this.#fault(at, 'must have {{else}} once, and only in a block')
    block.hasElse = true
  }

  #close(kind: string, at: number): void {
    const block = this.#open.pop()
    if (block?.node.kind !== kind)
      throw this.#fault(at, block ? `must close {{#${block.node.kind}}} first` : 'must have a block to close')
  }

  /** Also behind `else`, where the items of the nearest block are not at hand. */
  #assertPlace(kind: 'names' | 'index' | 'rest', at: number): void {
    if (kind === 'names' || this.#open.some(({ node, hasElse }) => node.kind === 'each' && !hasElse)) return
    throw this.#fault(at, `must have @${kind} only in {{#each}}`)
  }

  #filtersOf({ filters }: Extract<ReadTag, { kind: 'value' }>, at: number): TemplateFilter[] {
    return filters.map(({ name, argument, at: inTag }) => {
      this.#count(at)
      const made = makeFilter(name, argument)
      if (typeof made === 'string') throw this.#fault(at + 2 + inTag, made)
      return made
    })
  }

  #add(node: TemplateNode, at: number): void {
    this.#count(at)
    const block = this.#open.at(-1)
    const into = !block ? this.#root : block.hasElse ? block.node.otherwise : block.node.body
    into.push(node)
  }

  #count(at: number): void {
    this.#nodes++
    if (this.#nodes > nodesMax) throw this.#fault(at, `must have at most ${nodesMax} texts, tags and filters`)
  }

  /** Lines and columns count from 1. */
  #fault(at: number, rule: string): Error {
    const before = this.#source.slice(0, at).split('\n')
    return templateFault(`line ${before.length}, column ${[...(before.at(-1) ?? '')].length + 1}: ${rule}`)
  }
}

const isFault = (read: ReadTag | TagFault): read is TagFault => 'fault' in read

/** The first `}}` that is not in quotes. */
function tagEnd(source: string, from: number): number | undefined {
  let isQuoted = false
  for (let at = from; at < source.length; at++) {
    if (source[at] === '"') isQuoted = !isQuoted
    else if (!isQuoted && source.startsWith('}}', at)) return at
  }
  return undefined
}
