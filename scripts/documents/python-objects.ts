// Generates the objects of the SDK for Python from the table of endpoints.
import { renamed, type Schema, schemas, schemasOfAnswers } from './sdk-types.ts'

export const pythonObjectsPath = 'sdk/python/postern_sdk/objects.py'

/** Names of the classes that differ from those of the schemas. */
const named: Readonly<Record<string, string>> = { ...renamed, ApiToken: 'Token', WebhookStatus: 'Webhook' }

const nameOf = (reference: string): string => {
  const name = reference.replace(/^.*\//, '')
  return named[name] ?? name
}

const literalOf = (values: readonly unknown[]): string =>
  `Literal[${values.map(value => JSON.stringify(value)).join(', ')}]`

function typeOf({ $ref, const: value, items, type, ...schema }: Schema): string {
  const values = schema.enum ?? schema['x-extensible-enum'] ?? (value === undefined ? undefined : [value])
  const options = schema.oneOf ?? schema.anyOf
  if ($ref !== undefined) return nameOf($ref)
  if (values) return literalOf(values)
  if (options) return `Union[${options.map(typeOf).join(', ')}]`
  if (items) return `list[${typeOf(items)}]`
  return { string: 'str', integer: 'int', number: 'float', boolean: 'bool' }[type ?? ''] ?? 'Any'
}

type Field = { name: string; type: string; description: string | undefined; isRequired: boolean }

const fieldsOf = ({ properties = {}, required = [] }: Schema): Field[] =>
  Object.entries(properties).map(([name, schema]) => {
    return { name, type: typeOf(schema), description: schema.description, isRequired: required.includes(name) }
  })

/** An object of several kinds is one class with the fields of all: programs read its `type` or `code` first. */
function fieldsOfAll(schema: Schema): Field[] {
  const kinds = (schema.oneOf ?? [schema]).map(kind => schemas[kind.$ref?.replace(/^.*\//, '') ?? ''] ?? kind)
  const all = Map.groupBy(kinds.flatMap(fieldsOf), ({ name }) => name)
  return [...all.values()].map(same => ({
    ...(same[0] as Field),
    type: unionOf(same.map(({ type }) => type)),
    isRequired: same.length === kinds.length && same.every(({ isRequired }) => isRequired),
  }))
}

function unionOf(types: readonly string[]): string {
  const [first = 'Any', ...others] = new Set(types)
  if (others.length === 0) return first
  const literals = [first, ...others].map(type => /^Literal\[(.*)\]$/.exec(type)?.[1])
  return literals.every(literal => literal !== undefined)
    ? `Literal[${literals.join(', ')}]`
    : `Union[${[first, ...others].join(', ')}]`
}

/** The syntax of classes cannot spell these names. */
const isKeyword = ({ name }: Field): boolean => name === 'from'

const commentOf = ({ description }: Field): string => (description === undefined ? '' : `    #: ${description}\n`)

type Part = { suffix: string; fields: Field[]; isTotal: boolean }

/** Fields that are all there, or may all be absent. */
function assignmentOf(name: string, { fields, isTotal }: Part): string {
  const lines = fields.map(
    field => `    ${commentOf(field)}        ${JSON.stringify(field.name)}: ${JSON.stringify(field.type)},\n`,
  )
  return `${name} = TypedDict(\n    "${name}",\n    {\n${lines.join('')}    },\n${isTotal ? '' : '    total=False,\n'})\n`
}

function classOf(name: string, { fields, isTotal }: Part, bases: readonly string[]): string {
  const above = [...(bases.length > 0 ? bases : ['TypedDict']), ...(isTotal ? [] : ['total=False'])]
  const lines = fields.map(field => `${commentOf(field)}    ${field.name}: ${field.type}\n`)
  return `class ${name}(${above.join(', ')}):\n${lines.join('') || '    pass\n'}`
}

/** Before Python 3.11, a class has no field that may be absent beside one that may not. */
function classesOf(name: string, schema: Schema): string {
  const fields = fieldsOfAll(schema)
  const parts = [
    { suffix: 'Base', fields: fields.filter(({ isRequired }) => isRequired), isTotal: true },
    { suffix: 'More', fields: fields.filter(({ isRequired }) => !isRequired), isTotal: false },
  ].filter(part => part.fields.length > 0)
  const isSpellable = (part: Part): boolean => !part.fields.some(isKeyword)
  const own = parts.findLast((part, at) => at === parts.length - 1 && isSpellable(part))
  const above = parts.filter(part => part !== own)
  const nameOfPart = ({ suffix }: Part): string => `_${name}${suffix}`
  return [
    ...above.map(part =>
      isSpellable(part) ? classOf(nameOfPart(part), part, []) : assignmentOf(nameOfPart(part), part),
    ),
    classOf(name, own ?? { suffix: '', fields: [], isTotal: true }, above.map(nameOfPart)),
  ].join('\n\n')
}

export function makePythonObjects(): string {
  const kinds = new Set(Object.values(schemas).flatMap(({ oneOf = [] }) => oneOf.map(({ $ref = '' }) => nameOf($ref))))
  const classes = [...schemasOfAnswers()]
    .filter(name => !kinds.has(name))
    .map(name => classesOf(named[name] ?? name, schemas[name] ?? {}))
  return [
    '"""The objects of the API, as it names them. There may be more fields and more types: ignore those you do not know.\n\n',
    'Written by `npm run sdk-types` from the table of endpoints in packages/bot-api: do not edit.\n"""\n\n',
    'from __future__ import annotations\n\nfrom typing import Any, Literal, TypedDict, Union\n\n\n',
    classes.join('\n\n'),
  ].join('')
}
