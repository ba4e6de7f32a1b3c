// Russian words behind a number: 1 хук, 2 хука, 5 хуков.

export type Forms = { one: string; few: string; many: string }

const rules = new Intl.PluralRules('ru')

export function counted(count: number, forms: Forms): string {
  const rule = rules.select(count)
  return `${count} ${rule === 'one' || rule === 'few' ? forms[rule] : forms.many}`
}
