// Words after a number: 1 хук, 2 хука, 5 хуков; 1 hook, 2 hooks.

export type RussianForms = { one: string; few: string; many: string }

const rules = new Intl.PluralRules('ru')
/** The last two digits decide. Asking Intl each time takes longer than writing the rest of a line. */
const ruleOf = Array.from({ length: 100 }, (_, count) => rules.select(count))

export function countedInRussian(count: number, forms: RussianForms): string {
  const rule = ruleOf[count % 100]
  return `${count} ${rule === 'one' || rule === 'few' ? forms[rule] : forms.many}`
}

export const countedInEnglish = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
