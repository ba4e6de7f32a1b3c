// The table of methods for the documents. Everything that is not in it is answered with 400.
import { methods } from './methods/methods.ts'

export const compatibilityTable = (): string =>
  [
    '| Method | Works | What is different |',
    '|---|---|---|',
    ...Object.entries(methods)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, { fits, note }]) => `| \`${name}\` | ${fits} | ${note} |`),
  ].join('\n')
