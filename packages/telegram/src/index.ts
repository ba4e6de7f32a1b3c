// The Telegram Bot API over the operations of a gateway.
export { compatibilityTable } from './compatibility.ts'
export { Parameters } from './parameters.ts'
export { READER } from './polling/poll-updates.ts'
export { type CallOutcome, findSupported, type TelegramAnswer, TelegramApi, telegramAnswerTo } from './telegram.ts'
export type {
  CallOperation,
  MethodInput,
  OperationInput,
  RunningDelivery,
  TelegramContext,
  TelegramDelivery,
  TelegramReader,
  UploadedFile,
  UploadedForm,
} from './telegram-context.ts'
export { badRequest, TelegramError } from './telegram-error.ts'
