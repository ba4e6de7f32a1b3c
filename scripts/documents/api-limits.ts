// The limits that callers of the API meet, in words, from the one file that defines them.
import { clientLimits, contentLimits, gatewayLimits, hookLimits, relayDefaults } from '@postern/protocol'

const inMinutes = (ms: number): string => `${ms / 60_000} minutes`
const inHours = (ms: number): string => `${ms / 3_600_000} hours`
const inBytes = (bytes: number): string => `${bytes} bytes`

export const apiLimits = (): [subject: string, limit: string][] => {
  const { buttonRowsMax, buttonsPerRowMax, buttonTextCharsMax, buttonDataBytesMax, buttonUrlUnitsMax } = contentLimits
  const { pollQuestionCharsMax, pollOptionsMin, pollOptionsMax, pollOptionCharsMax } = contentLimits
  return [
    ['Text, caption', `${contentLimits.textCharsMax} characters`],
    ['Mentions in a text', `${contentLimits.mentionsMax}`],
    ['Edit of a message without buttons', `within ${inHours(contentLimits.editableMs)}`],
    ['Name of the bot', `${contentLimits.nameCharsMax} characters`],
    ['Description of the bot', `${contentLimits.aboutCharsMax} characters`],
    [
      'Commands',
      `${contentLimits.commandsMax}; name \`[a-z0-9_]{1,32}\`, description ${contentLimits.commandDescriptionCharsMax} characters, args ${contentLimits.commandArgsCharsMax}`,
    ],
    [
      'Avatar',
      `${inBytes(gatewayLimits.avatarUploadBytesMax)}, JPEG, PNG or WebP; becomes a square of at most ${gatewayLimits.avatarSidePixelsMax} pixels`,
    ],
    [
      'Buttons',
      `${buttonRowsMax} rows of ${buttonsPerRowMax}; text ${buttonTextCharsMax} characters, data ${inBytes(buttonDataBytesMax)}, url https only, ${buttonUrlUnitsMax} characters`,
    ],
    [
      'Answer to a press',
      `${contentLimits.toastCharsMax} characters, once, within ${contentLimits.pressAnsweredWithinMs / 1000} seconds of the press`,
    ],
    [
      'Poll',
      `question ${pollQuestionCharsMax} characters; ${pollOptionsMin} to ${pollOptionsMax} options of ${pollOptionCharsMax} characters`,
    ],
    [
      'Group',
      `${contentLimits.groupMembersMax} members, including the bot; name ${contentLimits.groupNameCharsMax} characters`,
    ],
    [
      'File',
      `${inBytes(contentLimits.fileBytesMax)}; ${gatewayLimits.fileUploadsMax} uploads and ${gatewayLimits.fileDownloadsMax} downloads at a time`,
    ],
    [
      'Photo',
      `${inBytes(gatewayLimits.photoBytesMax)} and ${gatewayLimits.picturePixelsMax} pixels; larger ones are sent as files`,
    ],
    ...updateLimits(),
    [
      'Webhook',
      `an answer within ${gatewayLimits.webhookAnswerWithinMs / 1000} seconds; retried after ${gatewayLimits.webhookRetryFirstMs / 1000} second, then with doubled delays up to ${inMinutes(gatewayLimits.webhookRetryMaxMs)}`,
    ],
    ['A page of messages', `${gatewayLimits.messagesPageMax}, by default ${gatewayLimits.messagesPageDefault}`],
    [
      'Idempotency-Key',
      `${inBytes(gatewayLimits.idempotencyKeyBytesMax)}, remembered for ${inHours(clientLimits.idempotencyKeptMs)}`,
    ],
    ['A send that the relay does not answer', `503 after ${gatewayLimits.sendWithinMs / 1000} seconds`],
    ['Body of a hook post', inBytes(hookLimits.bodyBytesMax)],
    ['Lines of alerts in a hook message', `${hookLimits.alertLinesMax}`],
    ['Hooks', `${hookLimits.hooksMax}; ${hookLimits.waitingMax} posts to one of them may wait`],
    ['JSON body', inBytes(gatewayLimits.jsonBodyBytesMax)],
    ['Address and headers of a request', inBytes(gatewayLimits.requestHeadBytesMax)],
    [
      'New people to whom the bot writes first',
      `${relayDefaults.newPeoplePerDay} a UTC day, unless the relay is configured otherwise; people who wrote first do not count`,
    ],
  ]
}

const updateLimits = (): [string, string][] => [
  ['Unconfirmed updates', `kept for ${inHours(gatewayLimits.updatesKeptMs)}, at most ${gatewayLimits.updatesKeptMax}`],
  [
    'A poll for updates',
    `${gatewayLimits.updatesPerPollMax} updates, ${gatewayLimits.updatesPollTimeoutSecMax} seconds; ${gatewayLimits.pollersMax} may wait at a time`,
  ],
  [
    'Named readers of updates',
    `${gatewayLimits.readersMax}, with the same limits each; ${gatewayLimits.readerWaitsMax} of their polls and streams may wait at a time`,
  ],
  [
    'A stream of updates',
    `a comment every ${gatewayLimits.streamHeartbeatMs / 1000} seconds; cut off when it accepts nothing for ${gatewayLimits.fileIdleMs / 1000} seconds`,
  ],
]
