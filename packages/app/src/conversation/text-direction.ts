// The direction in which a text is read: that of its first letter. Its box follows, with the time at its end.
const letter = /\p{L}/u
const fromRight =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]/u

/** Undefined without a letter: then the page decides. */
export function directionOf(text: string): 'ltr' | 'rtl' | undefined {
  const first = letter.exec(text)?.[0]
  if (first === undefined) return undefined
  return fromRight.test(first) ? 'rtl' : 'ltr'
}
