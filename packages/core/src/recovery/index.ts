// Files that a person keeps outside the program, sealed under words: the account alone, or the whole database.
export {
  type ChatFacts,
  decodeRecoveryFacts,
  encodeRecoveryFacts,
  type KnownPersonFacts,
  type RecoveryFacts,
} from '@postern/protocol/content'
export { type Backup, decodeBackup, encodeBackup } from './backup.ts'
export { type ByWords, openSealed, type SealedKind, sealedKind, sealFile } from './sealed-file.ts'
export { newWords } from './words.ts'
