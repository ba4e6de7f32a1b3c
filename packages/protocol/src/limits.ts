// Every limit of the system, in one place, with its unit in its name.

const KIB = 1024
const MIB = 1024 * KIB
const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** What people and operators write: characters are Unicode code points. */
export const contentLimits = {
  textCharsMax: 4096,
  nameCharsMax: 64,
  groupNameCharsMax: 128,
  groupMembersMax: 1000,
  /** How far the generation of a group chat rises at once: who was away for some of them still follows. */
  generationStepMax: 1000,
  /** Far above any that a clock in seconds gives, and far below the last whole number. */
  generationMax: 2 ** 40,
  aboutCharsMax: 512,
  commandsMax: 100,
  commandNameCharsMax: 32,
  commandDescriptionCharsMax: 256,
  commandArgsCharsMax: 32,
  mentionsMax: 100,
  /** UTF-16 code units of one sign: a family with skin colours takes 19. */
  emojiUnitsMax: 64,
  timerMsMax: 365 * DAY_MS,
  editableMs: 48 * HOUR_MS,
  avatarBytesMax: 40_000,
  /** Of an avatar or a preview, which are decoded as soon as they arrive. */
  smallPictureSidePixelsMax: 1024,
  buttonRowsMax: 3,
  buttonsPerRowMax: 2,
  buttonTextCharsMax: 64,
  buttonDataBytesMax: 64,
  buttonUrlUnitsMax: 2048,
  toastCharsMax: 200,
  /** A press is answered within this time, and once. */
  pressAnsweredWithinMs: 1 * MINUTE_MS,
  pollQuestionCharsMax: 300,
  pollOptionsMin: 2,
  pollOptionsMax: 12,
  pollOptionCharsMax: 100,
  fileBytesMax: 300 * MIB,
  fileNameCharsMax: 255,
  fileExtensionCharsMax: 32,
  durationMsMax: 30 * DAY_MS,
  pixelsPerSideMax: 100_000,
  previewBytesMax: 30_000,
  /** The preview as a data: URL: a third more than its bytes, and what stands before them. */
  previewUrlUnitsMax: 40_050,
  /** Groups whose keys are compared with one receipt. */
  marksPerReceiptMax: 4,
  /** The JSON of one content: text, mentions, buttons, hello and a photo's preview. */
  contentBytesMax: 96 * KIB,
  profileBytesMax: 256 * KIB,
} as const

/** What a person keeps so as not to lose the account. */
export const recoveryLimits = {
  peopleMax: 100_000,
  chatsMax: 100_000,
  /** Of one chat, the newest: what is older is no longer at the relay. */
  groupsPerChatMax: 16,
  /** Names, titles, addresses. */
  wordsUnitsMax: 2048,
  /** A whole database: all of it is in memory while it is sealed or opened. */
  sealedBytesMax: 256 * MIB,
  wordsCount: 6,
  /** scrypt: 128 MiB and about a second for each guess. */
  costLog2: 17,
  costBlockSize: 8,
  /** What a file may ask for when it is read: 256 MiB, whoever has made it. */
  costLog2Max: 18,
} as const

/** The wire between a client and the relay. */
export const wireLimits = {
  frameBytesMax: 4 * MIB,
  /** Content, before encryption, is filled up to a multiple of this: texts, commits, settings and profiles. */
  paddingStepBytes: 256,
  messageBytesMax: 128 * KIB,
  commitBytesMax: 1536 * KIB,
  welcomeBytesMax: 1536 * KIB,
  profileBytesMax: 256 * KIB,
  keyPackageBytesMax: 4 * KIB,
  keyPackagesPerPublishMax: 100,
  keyPackagesPerTakeMax: 100,
  deliverEntriesMax: 256,
  /** A page of a mailbox: at least one entry, then as many as fit. */
  deliverBytesMax: 1 * MIB,
  audienceBytesMax: 255,
  certificateBytesMax: 128,
  inviteBytesMax: 64,
  errorMessageBytesMax: 1024,
  errorCodeBytesMax: 64,
  requestsInFlightMax: 512,
} as const

/** Messages of one sender in one epoch that may be missing from the log: withdrawn, or of unknown fate. */
const withdrawnBeforeUpdate = 100
const unsettledPerGroupMax = 100
/** Handshake keys that a restored client passes over before its first commit. */
const skippedKeysMax = 32

/** What MLS bytes may hold: counted before anything is made of them, so that a stranger's cost no more than ours. */
export const mlsLimits = {
  /** Nonces and guards, which are sent along, come from a pool. Keys are made of bytes that were never anywhere else. */
  pooledRandomBytesMax: 16,
  /** Everybody removed, as many added, and new settings. */
  proposalsMax: 2 * contentLimits.groupMembersMax + 1,
  /** A full group: leaves up to the next power of two, and the nodes between them. */
  treeNodesMax: 2047,
  pathNodesMax: 10,
  extensionsMax: 8,
  /** Settings are the largest: they are signed with every message. */
  extensionBytesMax: 64 * KIB,
  /** In each of the lists in which a leaf says what it knows. */
  capabilitiesMax: 64,
  /** Ids, references, hashes, credentials and nonces. */
  smallBytesMax: 256,
  /** A sender whose missing messages leave a larger gap than this cannot be read until it commits. */
  forwardStepsMax: withdrawnBeforeUpdate + unsettledPerGroupMax,
  /** Few: the log is in order. */
  generationsKept: 8,
  /** Longer lifetimes are refused: a key package that never ends is a key that never changes. */
  keyPackageLifetimeSecMax: (400 * DAY_MS) / SECOND_MS,
  /** The members of the groups a busy bot talks to: importing a key costs more than a signature. */
  verifyKeysCachedMax: 4096,
} as const

/** A start that fails: what it has opened is closed, and then the process ends, whatever of it is still open. */
export const startLimits = {
  closeWithinMs: 500,
  exitWithinMs: 400,
} as const

/** What the relay enforces; every one of them can be set when a relay is started. */
export const relayDefaults = {
  newPeoplePerDay: 50,
  keepEntriesMs: 30 * DAY_MS,
  /** Who was in a group so lately may be taken along into the one that carries it on. */
  keepPastMembersMs: 30 * DAY_MS,
  /** What an account may store in a UTC day; less while it is new. Blobs have limits of their own. */
  bytesPerDayMax: 512 * MIB,
  newAccountBytesPerDayMax: 64 * MIB,
  newAccountMs: 1 * DAY_MS,
  /** What may wait unread for one account from one sender, and from all: then from each only a little more. */
  mailboxBytesPerSenderMax: 64 * MIB,
  mailboxEntriesPerSenderMax: 50_000,
  mailboxBytesMax: 512 * MIB,
  mailboxEntriesMax: 100_000,
  keyPackagesPerAccountMax: 200,
  groupsPerAccountMax: 10_000,
  /** Connections that have logged in; those that have not have places of their own, of which the oldest makes room. */
  connectionsMax: 10_000,
  unauthenticatedMax: 1_000,
  /** By address (of IPv6 the first 64 bits): all connections, and those that have not logged in, HTTP included. */
  connectionsPerAddressMax: 1_000,
  newcomersPerAddressMax: 200,
  /** What a connection may send before it has logged in. */
  unauthenticatedBytesMax: 8 * KIB,
  requestHeadBytesMax: 8 * KIB,
  connectionsPerAccountMax: 8,
  registrationsPerMinute: 600,
  registrationsPerAddressPerHour: 60,
  /** Codes tried, right or wrong. */
  inviteTriesPerMinute: 300,
  inviteTriesPerAddressPerMinute: 10,
  /** Profiles asked for by who is not logged in, found or not. */
  profilesPerMinute: 6_000,
  profilesPerAddressPerMinute: 60,
  /** An invite that has expired is still told from a wrong one for so long. */
  keepInvitesMs: 30 * DAY_MS,
  /** Frames a connection may send: a steady rate with room for bursts. */
  framesPerSecond: 5_000,
  framesBurst: 10_000,
  authenticateWithinMs: 10 * SECOND_MS,
  heartbeatMs: 30 * SECOND_MS,
  /** Entries delivered and not yet acknowledged: past this the relay waits for the reader. */
  unacknowledgedEntriesMax: 1024,
  unacknowledgedBytesMax: 8 * MIB,
  sendBufferBytesMax: 16 * MIB,
  blobBytesMax: 302 * MIB,
  blobsPerDayBytesMax: 20 * 1024 * MIB,
  blobUnfinishedMs: 1 * DAY_MS,
  keepBlobsMs: 30 * DAY_MS,
  sweepEveryMs: 10 * MINUTE_MS,
  /** A clock that differs by so much from the time that passed was set. */
  clockSetByMs: 1 * MINUTE_MS,
  sweepRowsPerTurn: 1_000,
  /** On PostgreSQL so many entries are worth a partition of their own, which goes whole; fewer go row by row. */
  partitionEntriesMin: 100_000,
  stopWithinMs: 10 * SECOND_MS,
  groupMembersMax: contentLimits.groupMembersMax,
  accountsMax: 1_000_000,
  requestsInFlightMax: wireLimits.requestsInFlightMax,
  authenticateTriesMax: 4,
  /** Taking other people's key packages uses them up: bounded for the taker, and for the taker at one account. */
  takesPerMinute: 1_200,
  takesPerTargetPerMinute: 20,
  blobsPerDayMax: 10_000,
  /** Requests that are no WebSocket, at one time; one that says nothing for so long is closed. */
  httpConnectionsMax: 1_000,
  httpIdleMs: 60 * SECOND_MS,
  /** An acknowledgement waits this long for another write to share its transaction. */
  acknowledgeWithinMs: 200,
  /** And this long after its write has failed. */
  acknowledgeRetryMs: 5 * SECOND_MS,
  /** Lines of the log that wait for a disk that is full; those beyond are lost. */
  logWaitingBytesMax: 1_048_576,
  writesPerTransactionMax: 2_000,
  accountsCachedMax: 100_000,
  /** Groups held in memory, counted in members. */
  groupMembersCachedMax: 500_000,
  /** The newest entries held in memory for readers that are caught up. */
  recentEntriesBytesMax: 16 * MIB,
  faultsLoggedPerMinute: 60,
  databaseBytesMax: 1024 * 1024 * MIB,
  /** Of all blobs together. */
  blobsBytesMax: 1024 * 1024 * MIB,
  /** What uploads to a store of objects hold in memory, all of them together. */
  blobMemoryBytesMax: 256 * MIB,
  /** A store of objects that is silent for so long is given up, and asked again. */
  objectStoreIdleMs: 20 * SECOND_MS,
  /** A line with the main figures in the log. */
  figuresLoggedEveryMs: HOUR_MS,
  /** Room on the disk below which nothing more is taken: no blobs, and then no messages either. */
  diskFreeForBlobsBytesMin: 1024 * MIB,
  diskFreeBytesMin: 128 * MIB,
} as const

/** What a relay keeps to by itself; nobody sets these. */
export const relayFixedLimits = {
  /** How many fetchers an owner can limit a blob to: each of them is remembered with it. */
  blobFetchesMax: 16,
  /** Keys whose rate is counted at one time. */
  rateKeysMax: 200_000,
  /** When to try again: one that has no free connection, and one whose disk or store has failed. */
  busyRetryAfterSec: 1,
  retryAfterSec: 5,
  /** A relay whose database is away for so long says that it is not ready: others may have theirs. */
  unreadyAfterMs: 15 * SECOND_MS,
  /** Frames taken before their answers are looked at: many that come at once must not fill the memory with answers. */
  framesPerSlice: 32,
  /** A shorter entry is copied for each of its readers: that is faster than a second piece. */
  copiedEntryBytesMax: 4 * KIB,
  /** Groups that a deleted account leaves in one transaction: each holds a lock. */
  groupsLeftPerTurn: 50,
  /** Connections that are pinged in one turn. */
  heartbeatsPerTurn: 200,
  /** Of a mailbox that is read as it grows: the newest cursors in memory. */
  mailboxTailMax: 32,
  blobsPerSweep: 100,
  blobReadBytes: 256 * KIB,
  /** An upload is synced after so many bytes: at its end little is left to wait for. */
  blobSyncAfterBytes: 16 * MIB,
  /** A blob in a store of objects is put together of parts of this size: below 5 MiB it takes the last one only. */
  blobPartBytes: 8 * MIB,
  /** What an upload holds of a part grows by so much. */
  blobBlockBytes: 256 * KIB,
  /** What is less than a part is kept as objects of their own, at most so many for one blob. */
  blobPiecesMax: 32,
  /** How often a store of objects is asked for the same, and how long is waited before the second time: then twice as long. */
  objectStoreTriesMax: 4,
  objectStoreRetryMs: 200,
  objectStoreConnectionsMax: 256,
  objectStoreAnswerBytesMax: 256 * KIB,
  objectsPerList: 200,
  /** Per group, in memory: who is known to have heard whom alone. */
  heardByOneMax: 1_000,
  /** Who leaves is not held back by what it has sent before; a farewell is short. */
  farewellBytesMax: 4 * KIB,
  /** A mailbox is looked through once for so much from one sender, later when it is far from full. */
  mailboxLookAfterBytes: 1 * MIB,
  mailboxLookAfterBytesMax: 8 * MIB,
  /** And once in so long while it is full. */
  mailboxLookAgainMs: 5 * SECOND_MS,
  /** A chat of two is counted by itself up to so much, so that most of its messages cost nothing here. */
  mailboxChatBytes: 64 * KIB,
  /** What a kill may leave uncounted of one account's bytes of the day. */
  dayBytesUncountedMax: 256 * KIB,
  metricsConnectionsMax: 16,
  metricsIdleMs: 30 * SECOND_MS,
  /** For metrics: to count all rows takes a while. */
  rowsCountedEveryMs: 1 * MINUTE_MS,
  /** That one answer of the control socket lists. */
  accountsPerPageMax: 1_000,
  /** The room on the disk is looked at again after so many bytes, and after so long. */
  diskLookAfterBytes: 1 * MIB,
  diskLookAfterMs: 1 * SECOND_MS,
  /** On a small disk the reserves are these parts of it: a twentieth, and a fortieth. */
  diskShareForBlobs: 20,
  diskShareForMessages: 40,
  /** Of a database that may become no larger: what acknowledgements, farewells and sweeping have for themselves. */
  databaseReserveBytes: 64 * MIB,
  /** Clients keep what opens a welcome for a day longer than this. */
  keepEntriesDaysMax: 30,
  keepBlobsDaysMax: 365,
  inviteUsesMax: 10_000,
  inviteDaysMax: 365,
  /** Of the web app's folder, all of which is kept in memory. */
  appFilesMax: 2_000,
  appBytesMax: 64 * MIB,
} as const

/** Figures for whoever watches a process. */
export const metricsLimits = {
  /** How often is looked whether the event loop is late, once somebody has asked. */
  loopLookEveryMs: 20,
} as const

/** The databases of relay and clients. */
export const databaseLimits = {
  /** Pages in the log before they are written back. SQLite's own is 1,000: what changes with every message would be written four times as often. */
  logPagesMax: 4000,
  /** After a fault of the disk. Between two tries the last connection is used on: of a large log each try reads all. */
  reopenEveryMs: 100,
  /** A running process checks no larger database: a check reads all of it while everybody waits. */
  checkedBytesMax: 256 * MIB,
  readPieceBytes: MIB,
  /** Free space that stays in a file, for what comes next. The file gives back what is above both. */
  freeBytesMax: MIB,
  freeShareMax: 1 / 4,
  /** Pages that are given back in one transaction, and numbers of free pages that SQLite reads for that: some 10 ms. */
  pagesPerTurnMax: 256,
  freePagesReadPerTurnMax: 8_000_000,
  /** Content of an older database that is rewritten at a start, all of it in memory. */
  rewrittenBytesMax: 64 * MIB,
} as const

/** A relay's way to PostgreSQL. */
export const postgresLimits = {
  /** 13.0: the oldest that has all that is used. */
  serverVersionMin: 130_000,
  /** 14.0: takes a partition out of its table while others use that. */
  detachesAsideFrom: 140_000,
  poolConnections: 4,
  /** For one of them: past that whoever asks is told to come again. */
  poolWaitingMax: 10_000,
  connectMs: 5 * SECOND_MS,
  /** The server gives up on a statement, and on who stands idle in a transaction. */
  statementMs: 10 * SECOND_MS,
  keepAliveMs: 10 * SECOND_MS,
  /** After a connection was lost: the first try to make it again, doubled up to the last. */
  reconnectMs: 100,
  reconnectMsMax: 5 * SECOND_MS,
  /** Writes in one transaction, and their bytes. */
  batchWrites: 256,
  batchBytes: 8 * MIB,
  /** When it is in the way of another. */
  batchTriesMax: 3,
  /** What waits for its transaction: past that senders are told to come again. */
  queuedBytesMax: 64 * MIB,
  /** Rows of the outbox that go into mailboxes in one turn. */
  fanOutRows: 400,
  /** Mailboxes that a batch fills in its own transaction; for more of them its sender does not wait. */
  placeAtOnceMax: 64,
  /** What a relay that died has left in the outbox is found so soon. */
  fanOutEveryMs: 1 * SECOND_MS,
  /** In the log and not in mailboxes yet: past that nothing more is taken. */
  outboxRowsMax: 20_000,
  /** Reads of mailboxes in one statement. */
  readsPerQuery: 500,
  /** Devices that are asked for in one statement, when nothing was heard of other relays for a while. */
  devicesPerQuery: 1000,
  /** Of each mailbox, entries that are fetched with their places, when they are new and no longer than this. */
  freshEntries: 4,
  freshEntryBytes: 4 * KIB,
  /** Whoever changes a table waits so long for who uses it, and others behind it; then it is tried again later. */
  tableLockMs: 500,
  migrateTriesMax: 60,
  /** Of the time that entries are kept, what goes into one partition. */
  partitionsPerKeeping: 8,
  /** And so much of it longer than they are kept they may lie on the disk, until the rest of their partition is past its time. */
  keptLongerParts: 6,
  /** Every message is looked for in all of them: then none is begun, and rows go one by one. */
  partitionsMax: 24,
} as const

/** Moving a relay from one store to the other. */
export const moveLimits = {
  /** In memory at one time; some of the largest messages there are among them. */
  rowsPerPage: 500,
  progressEveryMs: 1 * SECOND_MS,
  /** A statement that reads all of a table, on a slow disk. */
  statementMs: 24 * HOUR_MS,
  /** A relay that has just stopped is waited for so long. */
  relayLooks: 100,
  relayLookEveryMs: 100,
  /** As large as SQLite lets it be; how large it may become, the relay says that runs on it. */
  databaseBytesMax: 2 ** 43,
} as const

/** Backups of a data directory. */
export const backupLimits = {
  /** Of a passphrase for a new backup. */
  passphraseCharsMin: 12,
  passphraseDistinctMin: 5,
  /** While a database is copied its log grows: past so much the copy is given up, before the disk is full. */
  heldLogBytesMax: 1024 * MIB,
  heldLogLookEveryMs: 500,
  /** Checksums are kept in memory until their list is written. */
  filesPerList: 10_000,
  /** Such a list, the manifest or the end: longer than any of ours can be. */
  listBytesMax: 4 * MIB,
  pieceBytes: 1 * MIB,
  /** Written and removed in steps: much at once, and whoever waits for the same disk waits for a third of a second. */
  syncAfterBytes: 64 * MIB,
  removeStepBytes: 16 * MIB,
  removePauseMs: 5,
  /** Somebody who watches hears of long work so often. */
  progressEveryMs: 2 * SECOND_MS,
  /** What a kill has left of a backup is removed by the next one, once it is so old that nobody works with it. */
  leftoverMs: 60 * MINUTE_MS,
  /** By so much positions of a restored relay jump: more than it can have given out since the backup. */
  positionsSkipped: 1_000_000_000,
} as const

/** The socket by which an operator speaks to a process. */
export const controlLimits = {
  connectionsMax: 8,
  /** Who connects and says nothing for so long is sent away. */
  askWithinMs: 10 * SECOND_MS,
  requestCharsMax: 64 * KIB,
} as const

/** How a client talks to the relay. */
export const clientLimits = {
  /** Past so many chats one look at all members is less than a look for each. */
  chatLooksMax: 1_000,
  /** The list of all chats is kept as text up to here: some 100,000 private chats. A longer one is made anew for each reader. */
  chatTextsBytesMax: 32 * MIB,
  requestTimeoutMs: 10 * SECOND_MS,
  connectTimeoutMs: 10 * SECOND_MS,
  reconnectFirstMs: 100,
  reconnectMaxMs: 30 * SECOND_MS,
  /** Enough of them for the longest pause. */
  connectFailuresCountedMax: 16,
  pingEveryMs: 25 * SECOND_MS,
  /** What was read is told to the relay once for so many entries, and after so long: a quarter of what it waits for. */
  acknowledgeEntriesMax: 256,
  acknowledgeWithinMs: 20,
  /** Key packages at the relay: filled up to the target when fewer than the low mark are left. */
  keyPackagesFirst: 10,
  keyPackagesTarget: 100,
  keyPackagesLow: 50,
  keyPackageLifetimeMs: 90 * DAY_MS,
  /** Clocks differ: a package must not be from the future for whoever uses it at once. */
  keyPackageBackdatedSec: DAY_MS / SECOND_MS,
  /** Made under a clock that was so far ahead, others would take them for not valid yet. */
  keyPackageAheadMsMax: HOUR_MS,
  /** Replaced long before others would refuse them; the last resort, which serves many, more often. */
  keyPackageReplacedAfterMs: 30 * DAY_MS,
  lastResortReplacedAfterMs: 7 * DAY_MS,
  /** How long the keys of a replaced one open what is under way: a relay keeps a welcome for 30 days. */
  keyPackageKeptMs: 31 * DAY_MS,
  /** A relay that claims again and again to have none left does not fill the disk. */
  keyPackagesKeptMax: 2_000,
  /** How often a client that stays connected looks after its keys, spread at random by up to half. */
  upkeepEveryMs: HOUR_MS,
  deviceCertificateLifetimeMs: 365 * DAY_MS,
  /** Renewed when it ends in less than this: a client that is off for months still comes back with a good one. */
  deviceCertificateRenewedBelowMs: 240 * DAY_MS,
  /** Clocks differ: who is welcomed by a certificate that ended so lately still follows. */
  certificateEndToleranceMs: DAY_MS,
  /** How far a relay's word can lift a serial at once: one that claims the highest number would leave none above it. */
  serialStepMax: 1_000_000,
  /** New devices that a client makes because the relay calls its own revoked, from its start to its first login. */
  revokedTriesMax: 3,
  skippedKeysMax,
  withdrawnBeforeUpdate,
  unsettledPerGroupMax,
  commitRacesMax: 32,
  groupSessionsCachedMax: 2_000,
  /** Receipts of a burst go out together. While messages go on coming, that they have arrived is told no more often than this. */
  receiptsAfterMs: 150,
  arrivedToldEveryMs: 1 * SECOND_MS,
  /** How long what was deleted waits to be erased from the database's log after that has failed. */
  eraseRetryMs: 30 * SECOND_MS,
  /** Answers of the database that are kept for one question. Past so many all are forgotten: what is in use comes back by itself. */
  keptAnswersMax: 1000,
  /** Longer lists are asked for seldom, and would take the room of many. */
  keptListRowsMax: 10,
  /** How long what need not be kept at once waits for a commit that must, and how long after one that has failed. */
  deferredMs: 50,
  deferredRetryMs: 1 * SECOND_MS,
  /** A fault that lasts is said once in this time. */
  faultSaidEveryMs: 1 * MINUTE_MS,
  /** In larger groups nobody is told who has read what. */
  receiptsGroupMembersMax: 50,
  /** How many own messages of the past one receipt is told for, one by one. */
  receiptToldMessagesMax: 100,
  /** Of a bot with thousands of chats, so many hear of a new name before it writes to them. */
  profileToldChatsMax: 100,
  profilesPerRound: 50,
  /** Of a person with whom one shares more: the first are enough to notice a new device key. */
  keyChangeToldChatsMax: 100,
  expirePerTurnMax: 500,
  idempotencyKeptMs: DAY_MS,
  /** Ciphertext of files kept in the data directory; the least recently used make room. */
  fileCacheBytesMax: 2 * 1024 * MIB,
  /** A transfer that does not move for so long is given up. */
  fileStallMs: 30 * SECOND_MS,
  fileRetryFirstMs: 100,
  fileRetryMaxMs: 5 * SECOND_MS,
  /** Tries without a byte more at the other end. */
  fileTriesMax: 12,
  /** Of 1 MB each. */
  fileBuffersKeptMax: 8,
  fileLeftoversPerRound: 100,
  /** Where so many others are read at once that each makes room for the next. */
  fileOpenTriesMax: 10,
  /** A disk that spoils what was just written to it is not asked for ever. */
  fileReadTriesMax: 3,
  /** In a browser, uses of files that are noted beyond the last one of each. */
  fileUsesNotedMax: 1000,
  /** Of an upload in pieces, as browsers send it: what one request holds, small enough at first for a slow line. */
  uploadPieceBytesMin: 256 * KIB,
  uploadPieceBytesMax: 4 * MIB,
  /** After a piece that took no longer, the next is twice as large. */
  uploadPieceQuickMs: 2 * SECOND_MS,
  /** How often, and after what pause, a browser is asked for files that a worker which has ended may still hold. */
  heldFileTriesMax: 60,
  heldFilePauseMs: 50,
  /** What a browser's commit is larger than goes into the log in several pieces. */
  joinedWriteBytesMax: 1024 * 1024,
  pressesKeptMs: DAY_MS,
  /** After a failed write, so that a full disk is not asked a thousand times a second. */
  inboxRetryMs: 1 * SECOND_MS,
  inboxTriesMax: 3,
  dueRetryMs: 5 * SECOND_MS,
  /** Updates that were handed out shortly before a loss, and whose mark had not reached the relay. */
  updatesUnmarkedMax: 1000,
  /** More than a client hands out between a backup and its restore, where the relay was restored, too, and knows no mark. */
  updatesForgottenMax: 100_000_000,
  /** No bot gets so many updates: a relay that claims it would leave no whole numbers for those to come. */
  updatesMarkMax: 2 ** 48,
  /** How far the count of passed time on the disk may lag behind. */
  passedTimeKeptEveryMs: 1 * MINUTE_MS,
  /** Data of buttons that an edit took away, per message: who pressed before the edit came is still heard. */
  offeredDataKept: 24,
  /** While the relay's clock has not come to the end of a poll, it is asked at least so often. */
  pollEndAskedEveryMs: 1 * MINUTE_MS,
  pollEndAskedAgainMs: 100,
  pollEndRetryMs: 5 * SECOND_MS,
  /** Votes of one person in one poll that are kept, of which the last before its end counts. */
  votesPerVoterMax: 20,
  /** How far the relay's time may be off this machine's clock: what waits in a mailbox is at most a month old. */
  relayTsBehindMsMax: 31 * DAY_MS,
  relayTsAheadMsMax: 10 * MINUTE_MS,
  /** What is dated beyond that counts as of so long after now: behind all that was believed, also after a kill. */
  relayTsBeyondMs: 2 * MINUTE_MS,
  /** By how much the relay's clock must differ from what was expected before that is looked into. */
  relayClockNewsMs: 1 * SECOND_MS,
  /** Places in a group's log that are remembered where their time is not the relay's; more than wait in the outbox. */
  logPlacesKept: 128,
  /** How many entries may still come from before one's own that the relay has taken. */
  logPlacesApartMax: 1000,
  /** Of each group, to find out who was shown another history. */
  epochMarksKept: 64,
  /** How often one member's word that it was shown another history ends the group of a chat. */
  forkClaimEveryMs: DAY_MS,
  /** Own keys are renewed after so long in a group of up to so many, later in larger ones, and after so many messages. */
  renewKeysAfterMs: 7 * DAY_MS,
  renewKeysMembers: 50,
  renewKeysAfterSends: 10_000,
  renewKeysEveryMs: 15 * MINUTE_MS,
  renewKeysPerRound: 50,
  /** Who carries on a group that was killed: the first after this, each further one so much later. */
  restartAfterMs: 1 * SECOND_MS,
  restartTurnMs: 5 * SECOND_MS,
  /** Where nobody is proved to have done it, others may be well and add this account anew: so many others must be lost, too. */
  restartLostAfterMs: 15 * SECOND_MS,
  restartLostOthers: 3,
  /** How many are asked to be added anew by, and how soon others are asked who may be there. */
  rejoinAskedMax: 8,
  rejoinAskAgainMs: 10 * MINUTE_MS,
  /** Groups of one speaker that cannot be read and are remembered at a time; what nobody has healed is forgotten after so long. */
  lostGroupsPerSpeakerMax: 8,
  lostGroupsKeptMs: DAY_MS,
  /** Groups that members made for a chat, and that this client refused, of which it reports what is said there. */
  refusedGroupsPerChatMax: 8,
  /** A private chat gets a group above all others for one speaker at most so often, however many of theirs cannot be read. */
  healPrivateEveryMs: 10 * MINUTE_MS,
  /** Groups that a chat was in before and whose messages are still read: the oldest beyond these are dropped. */
  supersededGroupsMax: { private: 8, group: 64 },
  /** A group that a member made and the others refuse is answered by one that leads everybody together, at most so often. */
  answerRefusedEveryMs: 10 * MINUTE_MS,
  warnEveryMs: 1 * MINUTE_MS,
  /** Lines of a chat's history that nobody has written: who makes them without end does not fill the disk. */
  noticesPerChatMax: 500,
  /** Events that are kept where nobody has ever read the journal. */
  journalUnreadMax: 10_000,
  /** Of a journal in which more waits, what is confirmed is removed so many at a time. */
  journalDroppedAtOnce: 4_000,
  searchCharsMax: 256,
  /** Of those that may have the words, so many are looked at before the next are read. */
  searchRowsPerTurn: 200,
  /** Who missed something does not know who is in the group now: the others, who do, have this long to add it anew. */
  restartStaleAfterMs: DAY_MS,
  /** Where others are well, and only an admin can say what has changed: not for ever, for a liar may have said so. */
  restartRefusedAfterMs: 10 * MINUTE_MS,
} as const

/** Every HTTP listener. */
export const httpLimits = {
  /** Requests of one connection that wait behind the one that is being answered. */
  pipelinedMax: 16,
} as const

/** The gateway's HTTP API. */
export const gatewayLimits = {
  jsonBodyBytesMax: 1 * MIB,
  /** The address and the headers together. */
  requestHeadBytesMax: 16 * KIB,
  connectionsMax: 2_000,
  /** Between two requests. */
  keepAliveMs: 72 * SECOND_MS,
  /** Connections that have shown no token: the oldest makes room. */
  strangersMax: 1_000,
  /** How long a connection on which no HTTP was spoken may stay after it was told so. */
  refusedLingerMs: 5 * SECOND_MS,
  /** Of the reference page, unpacked. */
  referenceFileBytesMax: 4 * MIB,
  updatesPerPollMax: 100,
  updatesPollTimeoutSecMax: 60,
  updatesKeptMs: DAY_MS,
  updatesKeptMax: 10_000,
  pollersMax: 1_000,
  /** A shorter token is warned of at the start: who reaches the API could find it by trying. */
  botTokenCharsAdvised: 16,
  sendWithinMs: 10 * SECOND_MS,
  retryAfterSec: 5,
  /** A fault that lasts is said once in this time, whoever meets it. */
  faultSaidEveryMs: 1 * MINUTE_MS,
  /** Lines of the log that wait for a disk that is full; those beyond are lost. */
  logWaitingBytesMax: 1_048_576,
  /** The whole stop; in it, who still waits is told to come again, then connections are cut, then the database is closed. */
  stopWithinMs: 10 * SECOND_MS,
  requestsEndWithinMs: 7 * SECOND_MS,
  connectionsEndWithinMs: 8 * SECOND_MS,
  updatesDiscardEveryMs: 1 * SECOND_MS,
  chatsPageMax: 1_000,
  messagesPageDefault: 50,
  messagesPageMax: 100,
  idempotencyKeyBytesMax: 255,
  updatesSweepEveryMs: 1 * MINUTE_MS,
  /** A full queue is swept after appends, at most this often. */
  updatesSweepAfterMs: 1 * SECOND_MS,
  updatesDroppedLogEveryMs: 1 * MINUTE_MS,
  webhookAnswerWithinMs: 30 * SECOND_MS,
  /** What comes behind the status is of no use: past this the connection is given up. */
  webhookBodyWithinMs: 1 * SECOND_MS,
  webhookBodyBytesMax: 64 * KIB,
  webhookRetryFirstMs: 1 * SECOND_MS,
  webhookRetryMaxMs: 5 * MINUTE_MS,
  avatarUploadBytesMax: 20 * MIB,
  avatarUploadsMax: 4,
  avatarSidePixelsMax: 320,
  previewSidePixelsMax: 320,
  /** A photo is read whole into memory for its preview; a picture that is larger goes as a file. */
  photoBytesMax: 32 * MIB,
  picturePixelsMax: 100_000_000,
  /** Of kinds that cannot be read line by line. */
  pictureWholePixelsMax: 40_000_000,
  pictureWithinSec: 20,
  fileUploadsMax: 16,
  fileDownloadsMax: 64,
  /** A sender or a reader that stands still for so long is cut off. */
  fileIdleMs: 60 * SECOND_MS,
  /** A sender of which less than this comes in that time is refused. */
  fileIdleBytesMin: 64 * KIB,
  formPartsMax: 64,
  formHeadBytesMax: 16 * KIB,
  formFieldBytesMax: 64 * KIB,
  formAroundFileBytesMax: 1 * MIB,
  /** What is read and forgotten after a refusal, so that the sender sees it; past this the connection is cut. */
  refusedBytesMax: 1024 * MIB,
} as const

/** Incoming hooks. */
export const hookLimits = {
  hooksMax: 1_000,
  bodyBytesMax: 1 * MIB,
  /** Bodies that are held at one time, all hooks together. */
  bodiesBytesMax: 64 * MIB,
  /** Posts to one hook that wait for their turn. */
  waitingMax: 500,
  /** A post is written or refused within this time: senders give up after ten seconds. */
  postWithinMs: 5 * SECOND_MS,
  alertLinesMax: 10,
  alertNamesMax: 3,
  alertLabelsMax: 256,
  alertStatusUnitsMax: 32,
  /** Of an address in what was posted. */
  addressCharsMax: 2048,
  /** Of what somebody wrote, where the bot repeats it in its answer. */
  commandWordCharsMax: 32,
  commandTitleCharsMax: 128,
  duplicateWithinMs: 1 * MINUTE_MS,
  /** A sender that is known not to have heard that its post was written comes again within this time. */
  unheardWithinMs: 10 * MINUTE_MS,
  /**
   * What was answered and comes again may be meant, or come from a sender that did not hear the answer: that one has ended
   * its connection, and is back so soon. The same run of a pipeline in the same state is never meant twice.
   */
  repeatWithinMs: { text: 5 * SECOND_MS, run: 10 * MINUTE_MS },
  /** A secret that is wrong is refused so late; past so many that wait, they are told to come again. */
  missDelayMs: 1 * SECOND_MS,
  missesWaitingMax: 200,
  /** How long, and how many for each hook. */
  attempts: { keptMs: DAY_MS, keptMax: 10_000 },
  answered: { keptMs: 10 * MINUTE_MS, keptMax: 10_000 },
  keys: { keptMs: DAY_MS, keptMax: 10_000 },
  groups: { keptMs: 30 * DAY_MS, keptMax: 10_000 },
  runs: { keptMs: 365 * DAY_MS, keptMax: 10_000 },
  commandsPerPage: 100,
  answerWithinMs: 10 * SECOND_MS,
  answerTriesMax: 20,
  answerRetryMs: 5 * SECOND_MS,
  /** The message with an address is erased so long after it was read, and after so long in any case. */
  addressAfterReadMs: 10 * MINUTE_MS,
  addressKeptMs: DAY_MS,
  addressLookEveryMs: 1 * MINUTE_MS,
  /** Answers to one account that may not manage hooks, in so long; and of how many accounts that is remembered. */
  strangerAnswersMax: 3,
  strangerAnswersMs: 1 * MINUTE_MS,
  strangersKeptMax: 10_000,
} as const

/** `postern person`: commands and events as JSON lines. */
export const personLimits = {
  lineBytesMax: 1 * MIB,
  /** Past this, standard input is not read until a command has been answered. */
  commandsInFlightMax: 256,
  commandWithinMs: 30 * SECOND_MS,
  eventsPerPage: 100,
  fileReadBytes: 256 * KIB,
  /** Who waits longer for the relay is told so. */
  slowConnectMs: 1 * SECOND_MS,
  stopWithinMs: 40 * SECOND_MS,
} as const

/** The web app's worker. */
export const appLimits = {
  callTimeoutMs: 30 * SECOND_MS,
  callsInFlightMax: 1_000,
  /** Pages come and go without a word: past so many, the one that has been silent for the longest is forgotten. */
  pagesMax: 64,
  watchesPerPageMax: 100,
  historyRowsMax: 500,
  /** So long at least between two pictures of the list of chats: nobody reads it faster, and it is read anew for each. */
  chatsRestMs: 100,
  /** What waits to be sent, in all chats. */
  outgoingMax: 1_000,
  outgoingRetryMs: 5 * SECOND_MS,
  /** Core forgets a key after a day: what is in doubt for longer than this is not sent again by itself. */
  outgoingDoubtMsMax: 23 * HOUR_MS,
  /** After so long a page says that the bot did not answer. */
  pressPatienceMs: 10 * SECOND_MS,
  pressesRememberedMax: 1_000,
  eventsPerPage: 100,
  filePieceBytes: 256 * KIB,
  /** After some sent messages a person is reminded to save a file: how many more there were is not counted. */
  sentCountedMax: 100,
  /** Nobody who has opened a link waits for longer to see who invites. */
  previewTimeoutMs: 5 * SECOND_MS,
  /** Until the copy of an account is here that comes from another device. */
  moveTimeoutMs: 5 * MINUTE_MS,
  /** A whole database, and what is around it. */
  moveBytesMax: 257 * MIB,
  /** Between two tries to fetch it. */
  moveRetryMs: 1 * SECOND_MS,
  /** For so long a copy waits at the relay for the other device. */
  moveKeptMs: 10 * MINUTE_MS,
  /** What a page may find at once. */
  foundMax: 100,
  /** A photo with more pixels is decoded only when the person asks for it: 40 megapixels take 160 MB. */
  photoPixelsMax: 40_000_000,
  /** So is one above the first limit with more pixels for each byte of its file: several of those would take as much. */
  photoFreePixelsMax: 8_000_000,
  photoPixelsPerByteMax: 200,
  /** Of a picture that the person picks: 100 megapixels take 400 MB for a moment. */
  pickedPixelsMax: 100_000_000,
  /** Where the head of a photo must end: phones put a second picture of some megabytes before the size. */
  photoHeadBytesMax: 8 * MIB,
} as const

/** `postern doctor`: how long it waits, and from where on something is worth a word. */
export const doctorLimits = {
  /** For one answer of a relay, a webhook or a proxy; and for the running process. */
  answerWithinMs: 5 * SECOND_MS,
  /** For a file of a kilobyte to the relay and back. */
  fileWithinMs: 15 * SECOND_MS,
  fileBytes: 1 * KIB,
  /** Of an answer that is read; what comes behind is of no use. */
  answerBytesMax: 64 * KIB,
  /** Of what others say, as far as it is shown. */
  quotedCharsMax: 500,
  clockWarnMs: 30 * SECOND_MS,
  /** Receivers of webhooks refuse a signature that is older. */
  clockFailMs: 5 * MINUTE_MS,
  diskFreeFailBytes: 64 * MIB,
  diskFreeWarnBytes: 512 * MIB,
  /** Names of files that can still be made. */
  filesFreeWarn: 1_000,
  /** Who backs up once a week is not warned. */
  backupWarnMs: 8 * DAY_MS,
  /** Somebody else with the same keys was there so lately. */
  replacedFailMs: 1 * HOUR_MS,
  /** So much of the room for blobs may be used before a word. */
  blobsUsedWarnShare: 0.9,
  publicHostsTried: 4,
} as const
