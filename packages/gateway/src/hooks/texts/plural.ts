// Russian plural forms after a number: 1 хук, 2 хука, 5 хуков.

export type Forms = { one: string; few: string; many: string }

const rules = new Intl.PluralRules('ru')
/** The last two digits decide. Asking Intl each time takes longer than writing the rest of a line. */
const ruleOf = Array.from({ length: 100 }, (_, count) => rules.select(count))

export function counted(count: number, forms: Forms): string {
  const rule = ruleOf[count % 100]
  return `${count} ${rule === 'one' || rule === 'few' ? forms[rule] : forms.many}`
}
