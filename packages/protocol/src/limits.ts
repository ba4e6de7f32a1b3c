// Every limit of the system, in one place, with its unit in its name.

const KIB = 1024
const MIB = 1024 * KIB
const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Values that people and operators write: characters are Unicode code points. */
export const contentLimits = {
  textCharsMax: 4096,
  nameCharsMax: 64,
  groupNameCharsMax: 128,
  groupMembersMax: 1000,
  /** How far the generation of a group chat rises in one step: a member that missed some of them still follows. */
  generationStepMax: 1000,
  /** Far above any value from a clock in seconds, and far below the largest safe integer. */
  generationMax: 2 ** 40,
  aboutCharsMax: 512,
  commandsMax: 100,
  commandNameCharsMax: 32,
  commandDescriptionCharsMax: 256,
  commandArgsCharsMax: 32,
  mentionsMax: 100,
  entitiesMax: 200,
  /** The language of a block of code. */
  entityLangCharsMax: 32,
  /** UTF-16 code units of one emoji: a family with skin colours takes 19. */
  emojiUnitsMax: 64,
  timerMsMax: 365 * DAY_MS,
  editableMs: 48 * HOUR_MS,
  avatarBytesMax: 40_000,
  /** In the settings of its group, which are signed with every message, beside a thousand admins. */
  groupPictureBytesMax: 12_000,
  /** For an avatar or a preview, which are decoded as soon as they arrive. */
  smallPictureSidePixelsMax: 1024,
  buttonRowsMax: 3,
  buttonsPerRowMax: 2,
  buttonTextCharsMax: 64,
  buttonDataBytesMax: 64,
  buttonUrlUnitsMax: 2048,
  /** As in Telegram's links. */
  startPayloadCharsMax: 64,
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
  /** Photos and videos that are shown in one bubble. */
  albumFilesMax: 10,
  /** The bars of a voice message: one character each. */
  waveBarsMax: 64,
  previewBytesMax: 30_000,
  /** The preview as a data: URL: a third more than its bytes, plus the prefix. */
  previewUrlUnitsMax: 40_050,
  /** Groups whose keys are compared with one receipt. */
  marksPerReceiptMax: 4,
  /** The JSON of one content: text, mentions, buttons, hello and a photo's preview. */
  contentBytesMax: 96 * KIB,
  profileBytesMax: 256 * KIB,
  /** Visible characters of a message in a notification. */
  notifiedCharsMax: 160,
  /** Notified words are filled up to a multiple of this before they are sealed. */
  notifiedStepBytes: 64,
} as const

/** Files that protect a person from losing the account. */
export const recoveryLimits = {
  peopleMax: 100_000,
  chatsMax: 100_000,
  /** The newest groups of one chat: older ones are no longer at the relay. */
  groupsPerChatMax: 16,
  /** Names, titles, addresses. */
  wordsUnitsMax: 2048,
  /** A whole database: all of it is in memory while it is sealed or opened. */
  sealedBytesMax: 256 * MIB,
  wordsCount: 6,
  /** scrypt: 128 MiB and about a second for each guess. */
  costLog2: 17,
  costBlockSize: 8,
  /** The highest cost that is accepted when a file is read, from any writer: 256 MiB. */
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
  /** The sealed preview of a message, for a notification. */
  previewBytesMax: 1 * KIB,
  /** The address of a subscription at a push service. */
  pushEndpointBytesMax: 1 * KIB,
  /** Groups that a device wants no notifications for. */
  mutedGroupsMax: 2_000,
  /** A frame that is relayed and not stored. A notification of PostgreSQL between two relays has at most 8,000 bytes. */
  ephemeralBytesMax: 4 * KIB,
} as const

/** Messages of one sender in one epoch that may be missing from the log: withdrawn, or with unknown fate. */
const withdrawnBeforeUpdate = 100
const unsettledPerGroupMax = 100
const forwardStepsMax = withdrawnBeforeUpdate + unsettledPerGroupMax
/**
 * Handshake keys that a restored client passes over before its first commit: two copies draw the same key once in this
 * number of times. Each key costs every member some microseconds.
 */
const skippedKeysMax = 4096

/** Bounds for MLS bytes, checked before anything is allocated: a stranger's bytes cost no more than ours. */
export const mlsLimits = {
  /** Nonces and guards, which are sent along, come from a pool. Keys use bytes that were never anywhere else. */
  pooledRandomBytesMax: 16,
  /** Everybody removed, as many added, and new settings. */
  proposalsMax: 2 * contentLimits.groupMembersMax + 1,
  /** A full group: leaves up to the next power of two, and the nodes between them. */
  treeNodesMax: 2047,
  pathNodesMax: 10,
  extensionsMax: 8,
  /** Settings are the largest: they are signed with every message. */
  extensionBytesMax: 64 * KIB,
  /** In each of the lists in which a leaf declares its capabilities. */
  capabilitiesMax: 64,
  /** Ids, references, hashes, credentials and nonces. */
  smallBytesMax: 256,
  /** A sender whose missing messages leave a larger gap than this cannot be read until it commits. */
  forwardStepsMax,
  skippedKeysMax,
  /** Where a client up to 0.2 is a member, which follows over `forwardStepsMax` keys. */
  formerSkippedKeysMax: 32,
  /** For commits: keys are skipped once more only from below `skippedKeysMax`. */
  handshakeStepsMax: 2 * skippedKeysMax + forwardStepsMax,
  /** Few: the log is in order. */
  generationsKept: 8,
  /** Longer lifetimes are refused: a key package that never expires is a key that never changes. */
  keyPackageLifetimeSecMax: (400 * DAY_MS) / SECOND_MS,
  /** The members of the groups a busy bot talks to: importing a key costs more than a signature. */
  verifyKeysCachedMax: 4096,
} as const

/** A failed start closes everything it has opened, and then the process ends even if something is still open. */
export const startLimits = {
  closeWithinMs: 500,
  exitWithinMs: 400,
} as const

/** A file of which NAME_FILE says that it holds a secret; a longer one is something else. */
export const secretFileLimits = {
  charsMax: 8192,
} as const

/** Limits that the relay enforces; each can be set when a relay starts. */
export const relayDefaults = {
  newPeoplePerDay: 50,
  keepEntriesMs: 30 * DAY_MS,
  /** Members who left a group within this time may be added to the group that continues it. */
  keepPastMembersMs: 30 * DAY_MS,
  /** Bytes that an account may store in a UTC day; fewer while it is new. Blobs have their own limits. */
  bytesPerDayMax: 512 * MIB,
  newAccountBytesPerDayMax: 64 * MIB,
  newAccountMs: 1 * DAY_MS,
  /**
   * Unread entries for one account: from one sender, and from all. When it is full, each sender may add only a little
   * more.
   */
  mailboxBytesPerSenderMax: 64 * MIB,
  mailboxEntriesPerSenderMax: 50_000,
  mailboxBytesMax: 512 * MIB,
  mailboxEntriesMax: 100_000,
  keyPackagesPerAccountMax: 200,
  groupsPerAccountMax: 10_000,
  /** Connections that have logged in. The others have separate places, and the oldest makes space for a new one. */
  connectionsMax: 10_000,
  unauthenticatedMax: 1_000,
  /** By address (for IPv6 the first 64 bits): all connections, and those that have not logged in, HTTP included. */
  connectionsPerAddressMax: 1_000,
  newcomersPerAddressMax: 200,
  /** Logins that are being answered: a client beyond that receives a time to come back. */
  loginsInFlightMax: 1_000,
  /** Bytes that a connection may send before it logs in. */
  unauthenticatedBytesMax: 8 * KIB,
  requestHeadBytesMax: 8 * KIB,
  connectionsPerAccountMax: 8,
  registrationsPerMinute: 600,
  registrationsPerAddressPerHour: 60,
  /** Codes tried, right or wrong. */
  inviteTriesPerMinute: 300,
  inviteTriesPerAddressPerMinute: 10,
  /** Profile requests from clients that are not logged in, found or not. */
  profilesPerMinute: 6_000,
  profilesPerAddressPerMinute: 60,
  /** An expired invite is distinguished from a wrong one for this long. */
  keepInvitesMs: 30 * DAY_MS,
  /** Frames that a connection may send: a steady rate, and a larger number in bursts. */
  framesPerSecond: 5_000,
  framesBurst: 10_000,
  authenticateWithinMs: 10 * SECOND_MS,
  heartbeatMs: 30 * SECOND_MS,
  /** Entries delivered and not yet acknowledged: above this the relay waits for the reader. */
  unacknowledgedEntriesMax: 1024,
  unacknowledgedBytesMax: 8 * MIB,
  sendBufferBytesMax: 16 * MIB,
  blobBytesMax: 302 * MIB,
  blobsPerDayBytesMax: 20 * 1024 * MIB,
  blobUnfinishedMs: 1 * DAY_MS,
  keepBlobsMs: 30 * DAY_MS,
  sweepEveryMs: 10 * MINUTE_MS,
  /** A clock that differs by this much from the elapsed time was set. */
  clockSetByMs: 1 * MINUTE_MS,
  sweepRowsPerTurn: 1_000,
  /**
   * On PostgreSQL, this many entries are worth a partition of their own, which is dropped as a whole; fewer are deleted
   * row by row.
   */
  partitionEntriesMin: 100_000,
  stopWithinMs: 10 * SECOND_MS,
  groupMembersMax: contentLimits.groupMembersMax,
  accountsMax: 1_000_000,
  requestsInFlightMax: wireLimits.requestsInFlightMax,
  authenticateTriesMax: 4,
  /** Taking other people's key packages uses them up: limited per taker, and per taker and account. */
  takesPerMinute: 1_200,
  takesPerTargetPerMinute: 20,
  /** Frames of an account that are relayed and not stored, counted by the members to whom they go. */
  ephemeralPerMinute: 20_000,
  blobsPerDayMax: 10_000,
  /** Concurrent requests that are not a WebSocket; an idle one is closed after this time. */
  httpConnectionsMax: 1_000,
  httpIdleMs: 60 * SECOND_MS,
  /** An acknowledgement waits this long for another write to share its transaction. */
  acknowledgeWithinMs: 200,
  /** And this long after its write has failed. */
  acknowledgeRetryMs: 5 * SECOND_MS,
  /** Log lines that wait for a full disk; further ones are lost. */
  logWaitingBytesMax: 1_048_576,
  writesPerTransactionMax: 2_000,
  accountsCachedMax: 100_000,
  /** Groups held in memory, counted in members. */
  groupMembersCachedMax: 500_000,
  /** The newest entries, held in memory for readers that are up to date. */
  recentEntriesBytesMax: 16 * MIB,
  faultsLoggedPerMinute: 60,
  databaseBytesMax: 1024 * 1024 * MIB,
  /** All blobs together. */
  blobsBytesMax: 1024 * 1024 * MIB,
  /** Memory of all uploads to an object store together. */
  blobMemoryBytesMax: 256 * MIB,
  /** A request to the object store that is silent for this long is abandoned and retried. */
  objectStoreIdleMs: 20 * SECOND_MS,
  /** Interval of the log line with the main metrics. */
  figuresLoggedEveryMs: HOUR_MS,
  /** Free disk space below which the relay accepts nothing more: no blobs, and then no messages either. */
  diskFreeForBlobsBytesMin: 1024 * MIB,
  diskFreeBytesMin: 128 * MIB,
} as const

/** Pushes of a relay to devices that are away. */
export const pushLimits = {
  /** A push is given up after this time, by the relay and by the push service. */
  ttlMs: 1 * DAY_MS,
  /** The size that push services accept, and the step to which contents are padded. */
  bodyBytesMax: 4096,
  paddingStepBytes: 512,
  /** How long a token for a push service counts. */
  tokenMs: 12 * HOUR_MS,
  /** For an answer of a push service, and for the rest of its body, which is not used. */
  answerWithinMs: 10 * SECOND_MS,
  answerRestMs: 1 * SECOND_MS,
  answerBytesMax: 4 * KIB,
  answerHeadBytesMax: 8 * KIB,
  /** A connection to a push service that is not used for this long is closed. */
  idleMs: 30 * SECOND_MS,
  requestsPerHostMax: 32,
  requestsMax: 256,
  /** Devices in memory that wait for a request or for their time. All others wait in the database. */
  devicesPerHostMax: 1_000,
  devicesMax: 4_000,
  /** Devices whose last pushes are remembered, and hosts. */
  devicesKnownMax: 20_000,
  hostsKnownMax: 1_000,
  /** Further messages of a chat within this time become one push. */
  collapseMs: 5 * SECOND_MS,
  /** For one device and group; and for one device. Beyond that, messages are counted and pushed later. */
  groupPerMinute: 4,
  groupPerHour: 30,
  devicePerMinute: 30,
  /** A connection that was closed may come back within this time: a page that is loaded again. */
  awayAfterMs: 2 * SECOND_MS,
  /** All subscriptions are checked this often, because a hint may be lost. */
  scanEveryMs: 1 * MINUTE_MS,
  devicesPerLook: 100,
  membersPerLook: 100,
  /** Mailboxes that are read before others have a turn. */
  mailboxesPerLook: 20,
  /** Groups of a device whose newest entry is in memory until its push. All others wait in the database. */
  groupsWaitingMax: 30,
  /** Entries of a mailbox that one look reads. */
  entriesPerLook: 1_000,
  /** Messages that wait for their mailboxes are looked at again after this time. */
  lookAgainMs: 100,
  /** A group of devices whose push services all hang or rest is looked at this often. */
  crowdedLookMs: 4 * SECOND_MS,
  groupsHintedMax: 10_000,
  /** After a refusal that may pass: the longest first pause, and the longest of all. Each is drawn at random below that. */
  retryMs: 5 * SECOND_MS,
  retryMsMax: 15 * MINUTE_MS,
  /** After this many failures in a row, a host rests. */
  failuresMax: 5,
  /** One of the relays on a database pushes. The others check this often whether it is still there. */
  leadEveryMs: 2 * SECOND_MS,
} as const

/** Fixed limits of a relay; they cannot be set. */
export const relayFixedLimits = {
  /** Devices of one account that are pushed to: a further one replaces the oldest. */
  subscriptionsPerAccountMax: 8,
  /** Changes of a device's subscription. */
  subscriptionsSetPerMinute: 30,
  /** Each frame that is relayed and not stored counts at least as if it went to this many members. */
  ephemeralMembersMin: 10,
  /** The largest number of fetchers to which an owner can limit a blob: each of them is stored with it. */
  blobFetchesMax: 16,
  /** Keys whose rate is tracked concurrently. */
  rateKeysMax: 200_000,
  /** Retry-After of a relay without a free connection, and of one whose disk or store has failed. */
  busyRetryAfterSec: 1,
  retryAfterSec: 5,
  /** At a full relay: a connection that has not logged in for this long makes way for the next. */
  newcomerPatienceMs: 5 * SECOND_MS,
  /** The time from one login to the next of a relay that is full, until it is measured, and the time that measures it. */
  loginEveryMs: 1,
  loginsMeasuredMs: 250,
  /** A full relay tells no client to come back later than this. */
  appointmentMsMax: 20 * SECOND_MS,
  /** Connections that the system holds until the relay accepts them: beyond, a client dials again only after seconds. */
  listenBacklog: 4_096,
  /** A relay without its database for this long reports that it is not ready: other relays may have theirs. */
  unreadyAfterMs: 15 * SECOND_MS,
  /** Frames accepted before their answers are checked: a burst must not fill the memory with answers. */
  framesPerSlice: 32,
  /** A shorter entry is copied for each of its readers: that is faster than sending a second piece. */
  copiedEntryBytesMax: 4 * KIB,
  /** Groups from which a deleted account is removed in one transaction: each holds a lock. */
  groupsLeftPerTurn: 50,
  /** Connections that are pinged in one turn. */
  heartbeatsPerTurn: 200,
  /** The newest cursors of a growing mailbox that are held in memory. */
  mailboxTailMax: 32,
  blobsPerSweep: 100,
  blobReadBytes: 256 * KIB,
  /** An upload is synced after this many bytes, so that little is left to sync at its end. */
  blobSyncAfterBytes: 16 * MIB,
  /** Part size of a blob in an object store, which accepts parts below 5 MiB only as the last one. */
  blobPartBytes: 8 * MIB,
  /** The buffer of a part grows in steps of this size. */
  blobBlockBytes: 256 * KIB,
  /** Data smaller than a part is stored as separate objects, at most this many for one blob. */
  blobPiecesMax: 32,
  /** Tries of a request to the object store, and the wait before the second one, which doubles each time. */
  objectStoreTriesMax: 4,
  objectStoreRetryMs: 200,
  objectStoreConnectionsMax: 256,
  objectStoreAnswerBytesMax: 256 * KIB,
  /** Keys for a store of objects are renewed so long before they expire; after a failure, and those that never expire, after so long. */
  credentialsEarlyMs: 5 * MINUTE_MS,
  credentialsRetryMs: 1 * MINUTE_MS,
  /** How long a machine's metadata service may take to answer, and how long its token counts. */
  roleAnswerMs: 3 * SECOND_MS,
  roleTokenSec: 60,
  objectsPerList: 200,
  /** Per group, in memory: pairs of a sender and a member that received a message addressed to it alone. */
  heardByOneMax: 1_000,
  /** A short farewell is accepted from a leaving member whatever it has sent before. */
  farewellBytesMax: 4 * KIB,
  /** A mailbox is checked once per this many bytes from one sender, and less often when it is far from full. */
  mailboxLookAfterBytes: 1 * MIB,
  mailboxLookAfterBytesMax: 8 * MIB,
  /** A full mailbox is checked again after this time. */
  mailboxLookAgainMs: 5 * SECOND_MS,
  /** A chat of two is counted separately up to this size, so that most of its messages need no check. */
  mailboxChatBytes: 64 * KIB,
  /** Bytes of one account's daily count that a kill may lose. */
  dayBytesUncountedMax: 256 * KIB,
  metricsConnectionsMax: 16,
  metricsIdleMs: 30 * SECOND_MS,
  /** For metrics: counting all rows takes a while. */
  rowsCountedEveryMs: 1 * MINUTE_MS,
  /** Accounts that one answer of the control socket lists. */
  accountsPerPageMax: 1_000,
  /** Free disk space is checked again after this many bytes, and after this time. */
  diskLookAfterBytes: 1 * MIB,
  diskLookAfterMs: 1 * SECOND_MS,
  /** On a small disk the reserves are these shares of its size: a twentieth, and a fortieth. */
  diskShareForBlobs: 20,
  diskShareForMessages: 40,
  /** Space in a database that may not grow any more, reserved for acknowledgements, farewells and sweeping. */
  databaseReserveBytes: 64 * MIB,
  /** Clients keep the keys that open a welcome for a day longer than this. */
  keepEntriesDaysMax: 30,
  keepBlobsDaysMax: 365,
  inviteUsesMax: 10_000,
  inviteDaysMax: 365,
  /** The web app's folder, all of which is kept in memory. */
  appFilesMax: 2_000,
  appBytesMax: 64 * MIB,
} as const

/** Metrics of a process. */
export const metricsLimits = {
  /** Interval of the event loop delay measurement, which starts with the first request for metrics. */
  loopLookEveryMs: 20,
} as const

/** The databases of relay and clients. */
export const databaseLimits = {
  /**
   * Pages in the log before they are written back. SQLite's default of 1,000 would write pages that change with every
   * message four times as often.
   */
  logPagesMax: 4000,
  /** After a disk fault. Between two tries the last connection stays in use, because each try reads all of a large log. */
  reopenEveryMs: 100,
  /** A running process does not check a larger database: a check reads all of it while everybody waits. */
  checkedBytesMax: 256 * MIB,
  /** As SQLite reads: a disk that fails now and then fails as many of these reads as of SQLite's. */
  readPieceBytes: 4096,
  /** A damaged database is not checked again before: each check reads all of it. */
  checkDamagedEveryMs: 60_000,
  /** Free space that stays in a file for future data. The file gives back the space above both limits. */
  freeBytesMax: MIB,
  freeShareMax: 1 / 4,
  /** Pages that are given back in one transaction, and numbers of free pages that SQLite reads for that: some 10 ms. */
  pagesPerTurnMax: 256,
  freePagesReadPerTurnMax: 8_000_000,
  /** Content of an older database that is rewritten at a start, all of it in memory. */
  rewrittenBytesMax: 64 * MIB,
} as const

/** A relay's connections to PostgreSQL. */
export const postgresLimits = {
  /** 13.0: the oldest version with everything that is used. */
  serverVersionMin: 130_000,
  /** 14.0: can detach a partition while others use its table. */
  detachesAsideFrom: 140_000,
  poolConnections: 4,
  /** Waiters for one connection: further callers get an error and retry later. */
  poolWaitingMax: 10_000,
  connectMs: 5 * SECOND_MS,
  /** The server gives up on a statement, and on a session that is idle in a transaction. */
  statementMs: 10 * SECOND_MS,
  /** An idle relay checks this often whether the server is there, and waits this long for the answer. */
  keepAliveMs: 5 * SECOND_MS,
  probeMs: 5 * SECOND_MS,
  /** After a lost connection: the delay of the first reconnect, doubled up to the maximum. */
  reconnectMs: 100,
  reconnectMsMax: 5 * SECOND_MS,
  /** Writes in one transaction, and their bytes. */
  batchWrites: 256,
  batchBytes: 8 * MIB,
  /** Bytes of an account's day that a relay counts ahead, unless little is left of them. */
  dayBytesReserved: 1 * MIB,
  /** After a conflict with another batch. */
  batchTriesMax: 3,
  /** Devices that are claimed in one transaction. */
  batchClaims: 128,
  /** Requests of one kind that wait for the statement that they share. */
  batchWaitingMax: 10_000,
  /** Bytes that wait for a transaction: above this, senders get an error and retry later. */
  queuedBytesMax: 64 * MIB,
  /** A statement that takes longer is made smaller, and one that takes less may grow again. */
  slowWorkMs: 2500,
  quickWorkMs: 600,
  /** References that go into mailboxes in one turn: few enough that small chats wait a fraction of a second. */
  fanOutReferences: 4000,
  /** Mailboxes that a batch fills in its own transaction; if there are more, its sender does not wait for them. */
  placeAtOnceMax: 64,
  /** Interval of the search for outbox rows of a relay that died. */
  fanOutEveryMs: 1 * SECOND_MS,
  /** Rows in the log and not yet in mailboxes: above this nothing more is accepted. */
  outboxRowsMax: 20_000,
  /** The same in references. Past that only small chats are accepted, which go first. */
  outboxReferencesMax: 400_000,
  /** Acknowledgements that are written in one statement. */
  acknowledgementsPerWrite: 2000,
  /** Reads of mailboxes in one statement. */
  readsPerQuery: 500,
  /** Devices that one statement asks for, after notifications of other relays were missed. */
  devicesPerQuery: 1000,
  /** Entries of each mailbox that are fetched with their positions, if they are new and no longer than this. */
  freshEntries: 4,
  freshEntryBytes: 4 * KIB,
  /** A change of a table waits this long for its users, while others queue behind the change; then it is retried later. */
  tableLockMs: 500,
  migrateTriesMax: 60,
  /** Partitions per retention time. */
  partitionsPerKeeping: 8,
  /**
   * Entries may stay on the disk longer than the retention time by this share of it, until the rest of their partition
   * has expired.
   */
  keptLongerParts: 6,
  /** Every message is searched in all partitions: above this no new one is created, and rows are deleted one by one. */
  partitionsMax: 24,
} as const

/** Progress of long work, on standard error. */
export const progressLimits = {
  /** Shorter work reports nothing. */
  firstMs: 2 * SECOND_MS,
  /** Between plain lines, which end up in a log. */
  everyMs: 10 * SECOND_MS,
  /** Between updates of the line on a terminal. */
  terminalMs: 200,
  /** Width of a terminal that does not report it. */
  columns: 80,
  /** A step that cannot report its progress is announced if it reads as much: on a slow disk that takes two seconds. */
  silentBytes: 64 * MIB,
} as const

/** Moving a relay from one store to the other. */
export const moveLimits = {
  /** In memory at a time; the largest possible messages may be among them. */
  rowsPerPage: 500,
  /** A statement that reads all of a table, on a slow disk. */
  statementMs: 24 * HOUR_MS,
  /** How often a relay that is just stopping is checked. */
  relayLooks: 100,
  relayLookEveryMs: 100,
  /** The most that SQLite allows; the relay that runs on it sets its own limit. */
  databaseBytesMax: 2 ** 43,
} as const

/** Backups of a data directory. */
export const backupLimits = {
  /** For the passphrase of a new backup. */
  passphraseCharsMin: 12,
  passphraseDistinctMin: 5,
  /** The log grows while a database is copied: above this the copy is abandoned, before the disk is full. */
  heldLogBytesMax: 1024 * MIB,
  heldLogLookEveryMs: 500,
  /** Checksums are kept in memory until their list is written. */
  filesPerList: 10_000,
  /** Such a list, the manifest or the end: longer than any that we write. */
  listBytesMax: 4 * MIB,
  pieceBytes: 1 * MIB,
  /** Files are written and removed in steps: one large step delays others on the same disk by a third of a second. */
  syncAfterBytes: 64 * MIB,
  removeStepBytes: 16 * MIB,
  removePauseMs: 5,
  /** A backup removes leftovers of a killed backup once they are too old to be in use. */
  leftoverMs: 60 * MINUTE_MS,
  /** Positions of a restored relay jump by this number: more than it can have assigned since the backup. */
  positionsSkipped: 1_000_000_000,
} as const

/** The socket through which an operator controls a process. */
export const controlLimits = {
  connectionsMax: 8,
  /** A caller that connects and sends nothing for this long is disconnected. */
  askWithinMs: 10 * SECOND_MS,
  requestCharsMax: 64 * KIB,
} as const

/** How a client talks to the relay. */
export const clientLimits = {
  /** Start links of a bot: those that were neither revoked nor have expired. */
  startLinksMax: 10_000,
  startLinkUsesMax: 1_000_000_000,
  /** Above this many chats, one query for all members costs less than one per chat. */
  chatLooksMax: 1_000,
  /**
   * The list of all chats is kept as text up to this size: some 100,000 private chats. A longer list is built for each
   * reader.
   */
  chatTextsBytesMax: 32 * MIB,
  requestTimeoutMs: 10 * SECOND_MS,
  /** A dial with the login: each client draws a time of its own between these. */
  connectTimeoutMs: 10 * SECOND_MS,
  connectTimeoutMsMax: 20 * SECOND_MS,
  reconnectFirstMs: 100,
  reconnectMaxMs: 30 * SECOND_MS,
  /** Enough for the longest pause. */
  connectFailuresCountedMax: 16,
  pingEveryMs: 25 * SECOND_MS,
  /**
   * A client acknowledges once per this many entries, and after this time: a quarter of the entries that the relay
   * waits for.
   */
  acknowledgeEntriesMax: 256,
  acknowledgeWithinMs: 20,
  /** Key packages at the relay: filled up to the target when fewer than the low mark are left. */
  keyPackagesFirst: 10,
  keyPackagesTarget: 100,
  keyPackagesLow: 50,
  keyPackageLifetimeMs: 90 * DAY_MS,
  /** Clocks differ: a new package must not be from the future for a client that uses it immediately. */
  keyPackageBackdatedSec: DAY_MS / SECOND_MS,
  /** Packages made under a clock that was this far ahead look not yet valid to others. */
  keyPackageAheadMsMax: HOUR_MS,
  /** Replaced long before others would refuse them; the last resort package, which serves many, is replaced more often. */
  keyPackageReplacedAfterMs: 30 * DAY_MS,
  lastResortReplacedAfterMs: 7 * DAY_MS,
  /** How long the keys of a replaced package still open what is in flight: a relay keeps a welcome for 30 days. */
  keyPackageKeptMs: 31 * DAY_MS,
  /** A relay that repeatedly claims to have none left must not fill the disk. */
  keyPackagesKeptMax: 2_000,
  /** How often a client that stays connected checks its keys, varied at random by up to half. */
  upkeepEveryMs: HOUR_MS,
  deviceCertificateLifetimeMs: 365 * DAY_MS,
  /** Renewed when less than this is left: a client that is off for months still comes back with a valid certificate. */
  deviceCertificateRenewedBelowMs: 240 * DAY_MS,
  /** Clocks differ: a client whose welcome has a certificate that expired within this time still follows. */
  certificateEndToleranceMs: DAY_MS,
  /**
   * How far above its own, or above the time in milliseconds, an answer of the relay can raise a serial in one step: a
   * relay that claims the highest number would leave none above it.
   */
  serialStepMax: 1_000_000,
  /** New devices that a client creates because the relay calls its own revoked, from its start to its first login. */
  revokedTriesMax: 3,
  withdrawnBeforeUpdate,
  unsettledPerGroupMax,
  commitRacesMax: 32,
  groupSessionsCachedMax: 2_000,
  /**
   * Receipts of a burst are sent together. While messages keep arriving, delivery receipts are sent no more often than
   * this.
   */
  receiptsAfterMs: 150,
  arrivedToldEveryMs: 1 * SECOND_MS,
  /** How long deleted data waits to be erased from the database's log after a failed attempt. */
  eraseRetryMs: 30 * SECOND_MS,
  /** Cached answers of the database to one query. Above this the cache is cleared: answers in use return automatically. */
  keptAnswersMax: 1000,
  /** Longer lists are rarely requested, and would take the space of many. */
  keptListRowsMax: 10,
  /**
   * How long a write that need not be durable immediately waits for a commit that must, and how long after a failed
   * commit.
   */
  deferredMs: 50,
  deferredRetryMs: 1 * SECOND_MS,
  /** A lasting fault is logged once in this time. */
  faultSaidEveryMs: 1 * MINUTE_MS,
  /** How long somebody is shown as typing, unless a message ends it. */
  typingShownMs: 8 * SECOND_MS,
  /** It is sent once in this time to a chat, and read once in this time from a sender in a group. */
  typingSentEveryMs: 4 * SECOND_MS,
  typingReadEveryMs: 250,
  /** How long a streamed draft is shown after its last part, unless a message ends it. */
  draftShownMs: 30 * SECOND_MS,
  /**
   * Parts of a draft are sent to a chat once in this time, and less often to many members: the relay counts a frame by
   * the members to whom it goes, and the account may write several drafts.
   */
  draftSentEveryMs: 500,
  draftSentPerMemberMs: 12,
  /** The text of a part, as JSON: with the signature and the padding it fits into a frame. */
  draftBytesMax: 3_400,
  /** Drafts of one chat that are shown: those that began first. */
  draftsPerChatMax: 4,
  /** People who are shown as typing, in all chats. Beyond that, nobody is added. */
  typistsMax: 500,
  /** Ephemeral frames that wait to be opened: a flood must not delay messages. */
  ephemeralWaitingMax: 16,
  /** Larger groups have no read receipts. */
  receiptsGroupMembersMax: 50,
  /** How many of the account's earlier messages one receipt is reported for, one by one. */
  receiptToldMessagesMax: 100,
  /** A bot with thousands of chats announces a new name to this many before it writes to them. */
  profileToldChatsMax: 100,
  /** The same for a person who switches previews on or off: they matter in chats in which the person only reads. */
  previewsToldChatsMax: 1000,
  /** In a group of up to this many members, each that wants previews greets new members immediately. */
  greetedAtOnceMembersMax: 50,
  profilesPerRound: 50,
  /** A new device key of a person is noted in at most this many shared chats: enough for it to be noticed. */
  keyChangeToldChatsMax: 100,
  expirePerTurnMax: 500,
  idempotencyKeptMs: DAY_MS,
  /** Ciphertext of files kept in the data directory; the least recently used are removed. */
  fileCacheBytesMax: 2 * 1024 * MIB,
  /** A transfer without progress for this long is abandoned. */
  fileStallMs: 30 * SECOND_MS,
  fileRetryFirstMs: 100,
  fileRetryMaxMs: 5 * SECOND_MS,
  /** Tries in a row that do not transfer a byte. */
  fileTriesMax: 12,
  /** Buffers of 1 MB each. */
  fileBuffersKeptMax: 8,
  fileLeftoversPerRound: 100,
  /** Tries to open a file that other concurrent reads push out of the cache. */
  fileOpenTriesMax: 10,
  /** A disk that damages new data must not be retried forever. */
  fileReadTriesMax: 3,
  /** In a browser, uses of files that are noted beyond the last one of each. */
  fileUsesNotedMax: 1000,
  /** Upload in pieces, as browsers do it: bytes of one request, small enough at first for a slow line. */
  uploadPieceBytesMin: 256 * KIB,
  uploadPieceBytesMax: 4 * MIB,
  /** After a piece that took at most this long, the next one is twice as large. */
  uploadPieceQuickMs: 2 * SECOND_MS,
  /** How often, and after which pause, a browser is asked for files that a terminated worker may still hold. */
  heldFileTriesMax: 60,
  heldFilePauseMs: 50,
  /** A larger commit of a browser is written to the log in several pieces. */
  joinedWriteBytesMax: 1024 * 1024,
  pressesKeptMs: DAY_MS,
  /** After a failed write, so that a full disk is not hit a thousand times a second. */
  inboxRetryMs: 1 * SECOND_MS,
  inboxTriesMax: 3,
  dueRetryMs: 5 * SECOND_MS,
  /** Updates that were delivered shortly before a loss, and whose mark had not reached the relay. */
  updatesUnmarkedMax: 1000,
  /**
   * If the relay was restored with the client and has no mark, the client continues at the number of milliseconds since
   * then: more than it has delivered. With a clock before that, it skips this many.
   */
  updatesForgottenFromMs: Date.UTC(2026, 0, 1),
  updatesForgottenMax: 100_000_000,
  /** More updates than any bot gets: a relay that claims more would leave no safe integers for later ones. */
  updatesMarkMax: 2 ** 48,
  /** How far the elapsed time on the disk may lag behind. */
  passedTimeKeptEveryMs: 1 * MINUTE_MS,
  /** Data of buttons that an edit removed, per message: a press from before the edit arrived still counts. */
  offeredDataKept: 24,
  /** Until the relay's clock reaches the end of a poll, the client asks for it at least this often. */
  pollEndAskedEveryMs: 1 * MINUTE_MS,
  pollEndAskedAgainMs: 100,
  pollEndRetryMs: 5 * SECOND_MS,
  /** Votes of one person in one poll that are kept; the last one before its end counts. */
  votesPerVoterMax: 20,
  /** How far the relay's time may be off this machine's clock: an entry in a mailbox is at most a month old. */
  relayTsBehindMsMax: 31 * DAY_MS,
  relayTsAheadMsMax: 10 * MINUTE_MS,
  /**
   * An entry dated further ahead counts as this long after now: later than everything that was believed, also after a
   * kill.
   */
  relayTsBeyondMs: 2 * MINUTE_MS,
  /** A smaller difference between the relay's clock and the expected time is ignored. */
  relayClockNewsMs: 1 * SECOND_MS,
  /** Positions in a group's log that are remembered because their time is not the relay's; more than wait in the outbox. */
  logPlacesKept: 128,
  /** How many earlier entries may still arrive after the relay has accepted one of the client's own. */
  logPlacesApartMax: 1000,
  /** Per group, to find a member that was shown another history. */
  epochMarksKept: 64,
  /** How often one member's claim of another history can end the group of a chat. */
  forkClaimEveryMs: DAY_MS,
  /**
   * A member renews its keys after this time in a group of up to this many members, later in larger ones, and after
   * this many messages.
   */
  renewKeysAfterMs: 7 * DAY_MS,
  renewKeysMembers: 50,
  renewKeysAfterSends: 10_000,
  renewKeysEveryMs: 15 * MINUTE_MS,
  renewKeysPerRound: 50,
  /** Delays before a member continues a group that was killed: of the first member, and of each further one. */
  restartAfterMs: 1 * SECOND_MS,
  restartTurnMs: 5 * SECOND_MS,
  /** If no offender is proved, healthy members may add this account again: this many others must be lost, too. */
  restartLostAfterMs: 15 * SECOND_MS,
  restartLostOthers: 3,
  /** Links to one group that one admin has, accounts that wait by them, and places for which this account has asked. */
  groupLinksMax: 10,
  joinRequestsMax: 50,
  joinsAskedMax: 20,
  /** How many members are asked to add this account again, and how soon others who may be online are asked. */
  rejoinAskedMax: 8,
  rejoinAskAgainMs: 10 * MINUTE_MS,
  /**
   * Unreadable groups of one speaker that are remembered at a time; one that nobody has healed is forgotten after this
   * time.
   */
  lostGroupsPerSpeakerMax: 8,
  lostGroupsKeptMs: DAY_MS,
  /** A client tries again to heal a group if its speaker still writes there this long after an attempt. */
  lostGroupRetryMs: 1 * MINUTE_MS,
  /** Groups that members made for a chat, and that this client refused, of which it reports what is said there. */
  refusedGroupsPerChatMax: 8,
  /**
   * A private chat gets a higher group for one speaker at most this often, however many of that speaker's groups cannot
   * be read.
   */
  healPrivateEveryMs: 10 * MINUTE_MS,
  /** Earlier groups of a chat whose messages are still read: the oldest beyond these are dropped. */
  supersededGroupsMax: { private: 8, group: 64 },
  /** A group that one member created and the others refuse is answered by a group for everybody, at most this often. */
  answerRefusedEveryMs: 10 * MINUTE_MS,
  warnEveryMs: 1 * MINUTE_MS,
  /** Lines of a chat's history that nobody has written: a member that causes them without end must not fill the disk. */
  noticesPerChatMax: 500,
  /** Events that are kept while nobody has ever read the journal. */
  journalUnreadMax: 10_000,
  /** While more events wait in the journal, confirmed ones are removed in steps of this size. */
  journalDroppedAtOnce: 4_000,
  searchCharsMax: 256,
  /** Candidate messages of a search that are checked before the next ones are read. */
  searchRowsPerTurn: 200,
  /**
   * A member that missed something does not know who is in the group now: the others, who do, have this long to add it
   * again.
   */
  restartStaleAfterMs: DAY_MS,
  /**
   * If others are healthy, only an admin can say what has changed; the wait is bounded, because a liar may have claimed
   * it.
   */
  restartRefusedAfterMs: 10 * MINUTE_MS,
} as const

/** Every HTTP listener. */
export const httpLimits = {
  /** Requests of one connection that wait behind the current one. */
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
  /** Connections that have not shown a token: the oldest makes space for a new one. */
  strangersMax: 1_000,
  /** How long a connection that does not speak HTTP may stay after its error answer. */
  refusedLingerMs: 5 * SECOND_MS,
  /** Size of the reference page, unpacked. */
  referenceFileBytesMax: 4 * MIB,
  /** The console shows this many updates, and asks for the rest of its cards this often. */
  consoleUpdatesMax: 50,
  consoleRefreshMs: 5 * SECOND_MS,
  /** A console that comes back after at most this long has missed no update. */
  consoleReaderGraceMs: 60 * SECOND_MS,
  updatesPerPollMax: 100,
  updatesPollTimeoutSecMax: 60,
  updatesKeptMs: DAY_MS,
  updatesKeptMax: 10_000,
  pollersMax: 1_000,
  /** Named readers of updates. */
  readersMax: 8,
  /** Named readers of each token that is limited to chats; they do not count among the others. */
  readersOfTokenMax: 2,
  /** Scoped tokens. */
  tokensMax: 100,
  tokenChatsMax: 100,
  tokenNameCharsMax: 64,
  /** How often the last use of a token is written. */
  tokenUseWrittenEveryMs: 60 * SECOND_MS,
  /** Polls and streams of named readers that wait: the queue without a name has its own places. */
  readerWaitsMax: 1_000,
  /** Messages of a chat that the Telegram Bot API finds by their number: the newest ones. */
  telegramMessagesPerChatMax: 10_000,
  /** Some libraries keep the number of a message in 32 bits with a sign. */
  telegramNumberMax: 2 ** 31 - 1,
  /** The part of the numbers that are left which a restore may skip at most: about 100,000,000 in the beginning. */
  telegramSkippedPartMax: 0.05,
  /** Skips of a chat that are remembered, so that the messages before them are forgotten in their turn. */
  telegramSkipsMax: 100,
  /** Numbers of people and chats that are kept in memory. */
  telegramChatNumbersInMemoryMax: 1_000,
  /** Numbers of messages that are kept in memory, all of a chat or none: about 10 MB. */
  telegramMessageNumbersInMemoryMax: 100_000,
  /** Numbers that are stored together: a page of updates then writes few pages of the database. */
  telegramNumbersPerBlock: 32,
  /** How long a new number waits until the relay has told whether the data was restored. */
  telegramNumberWithinMs: 5 * SECOND_MS,
  /** Inline keyboards of several pages: the newest ones can be turned over. */
  telegramKeyboardsMax: 1_000,
  /** As in Telegram. */
  telegramPollTimeoutSecMax: 50,
  telegramDeletedTogetherMax: 100,
  /** As in Telegram. */
  telegramSecretTokenCharsMax: 256,
  /** As in Telegram; updates go out one at a time. */
  telegramWebhookConnectionsMax: 100,
  telegramWebhookConnectionsDefault: 40,
  /** UTF-16 code units of a text with its marks: far above any text that can be sent. */
  telegramMarkedUnitsMax: 65_536,
  /** Names of updates that a bot wants. */
  telegramAllowedNamesMax: 64,
  /** Unknown methods that are counted under their names. */
  telegramCountedNamesMax: 100,
  /** A stream sends at most this many updates at a time: a slow consumer holds no more of them in memory. */
  streamPageMax: 10,
  streamHeartbeatMs: 15 * SECOND_MS,
  /** How soon a consumer whose stream has ended comes back. */
  streamRetryMs: 1 * SECOND_MS,
  /** A shorter token causes a warning at the start: everybody who reaches the API could guess it. */
  botTokenCharsAdvised: 16,
  sendWithinMs: 10 * SECOND_MS,
  /** `GET /v1/me` waits no longer for the relay's count of new people. */
  newPeopleLeftWithinMs: 2 * SECOND_MS,
  retryAfterSec: 5,
  /** A lasting fault is logged once in this time, however many requests meet it. */
  faultSaidEveryMs: 1 * MINUTE_MS,
  /** Log lines that wait for a full disk; further ones are lost. */
  logWaitingBytesMax: 1_048_576,
  /**
   * The whole stop. Within it, waiting requests get an error that says to retry, then connections are cut, then the
   * database is closed.
   */
  stopWithinMs: 10 * SECOND_MS,
  requestsEndWithinMs: 7 * SECOND_MS,
  connectionsEndWithinMs: 8 * SECOND_MS,
  updatesDiscardEveryMs: 1 * SECOND_MS,
  chatsPageMax: 1_000,
  invitesPageMax: 1_000,
  messagesPageDefault: 50,
  messagesPageMax: 100,
  idempotencyKeyBytesMax: 255,
  updatesSweepEveryMs: 1 * MINUTE_MS,
  /** A full queue is swept after appends, at most this often. */
  updatesSweepAfterMs: 1 * SECOND_MS,
  updatesDroppedLogEveryMs: 1 * MINUTE_MS,
  webhookAnswerWithinMs: 30 * SECOND_MS,
  /** The body of the answer is not used: above these limits the connection is dropped. */
  webhookBodyWithinMs: 1 * SECOND_MS,
  webhookBodyBytesMax: 64 * KIB,
  /** A webhook that is set over the API has at most these lengths. */
  webhookUrlUnitsMax: 2_048,
  webhookSecretUnitsMax: 512,
  webhookRetryFirstMs: 1 * SECOND_MS,
  webhookRetryMaxMs: 5 * MINUTE_MS,
  /** A caller compares a safety number, or the content of a QR code, which has about 170 characters. */
  safetyNumberCharsMax: 300,
  avatarUploadBytesMax: 20 * MIB,
  avatarUploadsMax: 4,
  avatarSidePixelsMax: 320,
  groupPictureSidePixelsMax: 256,
  previewSidePixelsMax: 320,
  /** A photo is read whole into memory for its preview; a larger picture is sent as a file. */
  photoBytesMax: 32 * MIB,
  picturePixelsMax: 100_000_000,
  /** For formats that cannot be read line by line. */
  pictureWholePixelsMax: 40_000_000,
  pictureWithinSec: 20,
  fileUploadsMax: 16,
  fileDownloadsMax: 64,
  /** A sender or a reader that makes no progress for this long is cut off. */
  fileIdleMs: 60 * SECOND_MS,
  /** A sender that delivers less than this in that time is refused. */
  fileIdleBytesMin: 64 * KIB,
  formPartsMax: 64,
  formHeadBytesMax: 16 * KIB,
  formFieldBytesMax: 64 * KIB,
  formAroundFileBytesMax: 1 * MIB,
  /** Bytes that are discarded after a refusal, so that the sender can read it; above this the connection is cut. */
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
  /** A post is sent or refused within this time: senders give up after ten seconds. */
  postWithinMs: 5 * SECOND_MS,
  alertLinesMax: 10,
  /** In a post. An alert of Alertmanager's has at least 200 bytes, and a body a megabyte. */
  alertsReadMax: 5_000,
  alertNamesMax: 3,
  alertLabelsMax: 256,
  alertStatusUnitsMax: 32,
  /** For an address in a post. */
  addressCharsMax: 2048,
  /** For a word of a person that the bot repeats in its answer. */
  commandWordCharsMax: 32,
  commandTitleCharsMax: 128,
  duplicateWithinMs: 1 * MINUTE_MS,
  /** A sender that is known to have missed the answer to its post comes again within this time. */
  unheardWithinMs: 10 * MINUTE_MS,
  /**
   * An answered post that is repeated may be intended, or its sender may have missed the answer: then its connection
   * has ended, and it returns this soon. The same run of a pipeline in the same state is never intended twice.
   */
  repeatWithinMs: { text: 5 * SECOND_MS, run: 10 * MINUTE_MS, event: 1 * MINUTE_MS },
  /** A wrong secret is refused after this delay; when too many wait, further ones get an error that says to retry. */
  missDelayMs: 1 * SECOND_MS,
  missesWaitingMax: 200,
  /** How long, and how many for each hook. */
  attempts: { keptMs: DAY_MS, keptMax: 10_000 },
  answered: { keptMs: 10 * MINUTE_MS, keptMax: 10_000 },
  keys: { keptMs: DAY_MS, keptMax: 10_000 },
  groups: { keptMs: 30 * DAY_MS, keptMax: 10_000 },
  runs: { keptMs: 365 * DAY_MS, keptMax: 10_000 },
  /** As far as a message in Slack's way is read; Slack cuts longer texts, too. */
  slackTextUnitsMax: 40_000,
  slackBlocksMax: 50,
  slackAttachmentsMax: 20,
  slackFieldsMax: 100,
  slackButtonsMax: 4,
  /** Lists in lists. */
  slackListDepthMax: 4,
  /** Values of a Grafana alert on its line. */
  grafanaValuesMax: 3,
  /** A template of a hook, and what one rendering of it may take. */
  template: {
    bytesMax: 8 * KIB,
    /** Texts, values, blocks and filters. */
    nodesMax: 1_000,
    /** Blocks in blocks. */
    depthMax: 8,
    stepsMax: 10_000,
    /** A longer text takes a step more for each. */
    stepChars: 64,
    keysPerStep: 64,
    outputCharsMax: 16_384,
    /** A posted text is read this far: four times what can be written. */
    valueUnitsMax: 65_536,
    jsonDepthMax: 32,
    itemsMax: 1_000,
  },
  /** The sentence about the last refusal of a hook. */
  lastErrorUnitsMax: 200,
  /** Messages that follow their group of alerts, or their pipeline. */
  living: {
    /** For each hook. Finished ones leave first. */
    keptMax: 2_000,
    keptMs: 90 * DAY_MS,
    alertsMax: 1_000,
    /** Messages of one hook that are sent or edited at the same time. */
    atOnceMax: 16,
    wordCharsMax: 100,
    severityCharsMax: 32,
    matchersMax: 32,
    matcherUnitsMax: 1024,
    /** The other Alertmanager of a pair, or a retry, may report an older state this long after a newer one. */
    lateWithinMs: 15 * MINUTE_MS,
    /** Between two edits of one message: what changes meanwhile is one edit. */
    editEveryMs: 1 * SECOND_MS,
    /** Between a message that notifies people and a reminder. */
    remindAfterMs: 10 * MINUTE_MS,
    repliesWaitingMax: 5,
    namedAlertsMax: 3,
    /** Edits that could not be sent are retried in this rhythm while nobody waits for them. */
    retryEveryMs: 5 * SECOND_MS,
    silenceChoicesMax: 4,
    silenceMinMs: 1 * MINUTE_MS,
    silenceMaxMs: 30 * DAY_MS,
    allowedMax: 100,
    pressAnswerWithinMs: 10 * SECOND_MS,
  },
  alertmanager: {
    addressesMax: 8,
    answerWithinMs: 4 * SECOND_MS,
    answerBytesMax: 8 * MIB,
    lookEveryMs: 1 * MINUTE_MS,
    /** An alert that is absent from this many looks in a row is over: a restarted Alertmanager knows none for a minute. */
    absentLooks: 3,
    /** Silenced alerts are looked for this long after the end of the silence. */
    lookAfterMs: 5 * MINUTE_MS,
  },
  /** The secret with which senders sign, and a header that they fill. */
  secretCharsMax: 256,
  commandsPerPage: 100,
  answerWithinMs: 10 * SECOND_MS,
  answerTriesMax: 20,
  answerRetryMs: 5 * SECOND_MS,
  /** The message with an address is erased this long after it was read, and after the longer time in any case. */
  addressAfterReadMs: 10 * MINUTE_MS,
  addressKeptMs: DAY_MS,
  addressLookEveryMs: 1 * MINUTE_MS,
  /**
   * Answers to one account that may not manage hooks, in this time; and the number of accounts for which this is
   * remembered.
   */
  strangerAnswersMax: 3,
  strangerAnswersMs: 1 * MINUTE_MS,
  strangersKeptMax: 10_000,
} as const

/** The Model Context Protocol: tools with which agents ask and write to people. */
export const mcpLimits = {
  /** A file of `fileBytesMax` in base64, and what is around it. */
  bodyBytesMax: 2 * MIB,
  /** Clients give up after 60 seconds, whatever the server wishes. */
  waitSecMax: 45,
  /** Clients that reset their timeout on progress hear of it this often. */
  progressEveryMs: 10 * SECOND_MS,
  /** Calls that are being answered at one time. */
  callsMax: 200,
  questionCharsMax: 3_500,
  optionsMax: 6,
  optionCharsMax: 64,
  /** People that may decide about one question. */
  fromMax: 100,
  expiresMinutesDefault: 1_440,
  expiresMinutesMax: 10_080,
  keyCharsMax: 255,
  asksOpenMax: 100,
  /** Questions that are over are kept for this long: a repeated key still means the same question. */
  asksKeptMs: 30 * DAY_MS,
  asksKeptMax: 1_000,
  /** Deadlines, sends and edits of questions are looked at this often, and sooner after a failure. */
  lookEveryMs: 1 * MINUTE_MS,
  retryMs: 5 * SECOND_MS,
  sendWithinMs: 10 * SECOND_MS,
  /** Answers to one person who presses a button without the right to decide, in this time. */
  strangerToastsMax: 5,
  strangerToastsMs: 1 * MINUTE_MS,
  strangersKeptMax: 1_000,
  writesMax: 60,
  writesPerMs: 1 * MINUTE_MS,
  entriesPerPage: 100,
  updatesKeptMax: 1_000,
  updatesKeptMs: 1 * DAY_MS,
  updatesPageMax: 50,
  messagesPageDefault: 20,
  messagesPageMax: 50,
  /** A text of a person, as an agent reads it. */
  textCharsMax: 4_096,
  fileBytesMax: 1 * MIB,
} as const

/** Messages to the owners of a bot about its problems. */
export const ownerNoticeLimits = {
  lookEveryMs: 50 * SECOND_MS,
  /** A problem is over when it was absent for this long. */
  overAfterMs: 5 * MINUTE_MS,
  /** Between two messages that a problem began, and between two that it is over. */
  apartMs: 60 * MINUTE_MS,
  sendWithinMs: 5 * SECOND_MS,
  /** Sends to one owner while the relay is connected, one with each look. */
  sendTriesMax: 60,
  linesMax: 10,
  nameCharsMax: 64,
  webhookFailsForMs: 10 * MINUTE_MS,
  /** Updates are dropped after `updatesKeptMs` and above `updatesKeptMax`. */
  updatesAgeMs: 20 * 60 * MINUTE_MS,
  updatesWaitingMax: 8_000,
  /** A disk is nearly full when it has less than both: a twentieth of a large disk would be plenty. */
  diskFreeShareMin: 0.05,
  diskFreeBytesMin: 2 * 1024 * MIB,
  hookRefusalsMin: 3,
  /** Between the first and the last refusal in a row. */
  hookRefusalsOverMs: 5 * MINUTE_MS,
  inviteExpiresWithinMs: DAY_MS,
  /** Links with a shorter life are made to expire. */
  inviteLifeMsMin: 2 * DAY_MS,
  /** A certificate was not renewed when less than both is left. One that is made for six days never has weeks left. */
  certificateLeftMs: 14 * DAY_MS,
  certificateLeftShare: 0.2,
  certificateLookEveryMs: 6 * HOUR_MS,
  handshakeWithinMs: 5 * SECOND_MS,
} as const

/** `postern person`: commands and events as JSON lines. */
export const personLimits = {
  lineBytesMax: 1 * MIB,
  /** Past this, standard input is not read until a command has been answered. */
  commandsInFlightMax: 256,
  commandWithinMs: 30 * SECOND_MS,
  eventsPerPage: 100,
  /** Events that the disk could not read are read again after this time. */
  eventsRetryMs: 1 * SECOND_MS,
  fileReadBytes: 256 * KIB,
  /** A wait for the relay that is longer than this is reported. */
  slowConnectMs: 1 * SECOND_MS,
  stopWithinMs: 40 * SECOND_MS,
} as const

/** The web app's worker. */
export const appLimits = {
  callTimeoutMs: 30 * SECOND_MS,
  callsInFlightMax: 1_000,
  /** Pages disappear without notice: above this number, the one that was silent the longest is forgotten. */
  pagesMax: 64,
  watchesPerPageMax: 100,
  /** Characters of the passphrase of the app lock: a PIN has six digits at least. */
  passphraseUnitsMin: 6,
  passphraseUnitsMax: 256,
  /** Wrong passphrases before the first wait, which doubles with each further one. */
  unlockTriesFree: 5,
  unlockWaitMs: 30 * SECOND_MS,
  unlockWaitMsMax: 15 * MINUTE_MS,
  /** Chats that the settings list by their size. */
  largestChatsMax: 10,
  historyRowsMax: 500,
  /**
   * The shortest time between two snapshots of the chat list: nobody reads it faster, and each one reads the whole
   * list.
   */
  chatsRestMs: 100,
  /** Messages that wait to be sent, in all chats. */
  outgoingMax: 1_000,
  /** Messages that are forwarded together, and chats that they go to. */
  forwardedMax: 100,
  forwardedToMax: 20,
  outgoingRetryMs: 5 * SECOND_MS,
  /** Core forgets an idempotency key after a day: a message in doubt for longer than this is not resent automatically. */
  outgoingDoubtMsMax: 23 * HOUR_MS,
  /** After this time a page shows that the bot did not answer. */
  pressPatienceMs: 10 * SECOND_MS,
  pressesRememberedMax: 1_000,
  /** Between two updates of the facts for push notifications. */
  pushRestMs: 1 * SECOND_MS,
  eventsPerPage: 100,
  /** Events that the disk could not read are read again after this time. */
  eventsRetryMs: 1 * SECOND_MS,
  filePieceBytes: 256 * KIB,
  /** After some sent messages a person is reminded to save a file: further ones are not counted. */
  sentCountedMax: 100,
  /** A person who opens a link does not wait longer than this to see who invites. */
  previewTimeoutMs: 5 * SECOND_MS,
  /** Until the copy of an account arrives from another device. */
  moveTimeoutMs: 5 * MINUTE_MS,
  /** A whole database and its surroundings. */
  moveBytesMax: 257 * MIB,
  /** Between two tries to fetch it. */
  moveRetryMs: 1 * SECOND_MS,
  /** How long a copy waits at the relay for the other device. */
  moveKeptMs: 10 * MINUTE_MS,
  /** Results of one search of a page. */
  foundMax: 100,
  /** A photo with more pixels is decoded only when the person asks for it: 40 megapixels take 160 MB. */
  photoPixelsMax: 40_000_000,
  /** So is one above the first limit with more pixels for each byte of its file: several of those would take as much. */
  photoFreePixelsMax: 8_000_000,
  photoPixelsPerByteMax: 200,
  /** For a picture that the person picks: 100 megapixels take 400 MB for a moment. */
  pickedPixelsMax: 100_000_000,
  /** Where the head of a photo must end: phones put a second picture of some megabytes before the size. */
  photoHeadBytesMax: 8 * MIB,
} as const

/** `postern doctor`: how long it waits, and the thresholds of its warnings. */
export const doctorLimits = {
  /** For one answer of a relay, a webhook or a proxy, and for one of the running process. */
  answerWithinMs: 5 * SECOND_MS,
  /** For a file of a kilobyte to the relay and back. */
  fileWithinMs: 15 * SECOND_MS,
  fileBytes: 1 * KIB,
  /** Bytes of an answer that are read; the rest is not used. */
  answerBytesMax: 64 * KIB,
  /** Characters that are shown of other programs' texts. */
  quotedCharsMax: 500,
  clockWarnMs: 30 * SECOND_MS,
  /** Receivers of webhooks refuse a signature that is older. */
  clockFailMs: 5 * MINUTE_MS,
  diskFreeFailBytes: 64 * MIB,
  diskFreeWarnBytes: 512 * MIB,
  /** Files that can still be created. */
  filesFreeWarn: 1_000,
  /** Weekly backups cause no warning. */
  backupWarnMs: 8 * DAY_MS,
  /** Another client with the same keys connected within this time. */
  replacedFailMs: 1 * HOUR_MS,
  /** Used share of the blob space above which there is a warning. */
  blobsUsedWarnShare: 0.9,
  publicHostsTried: 4,
  /** Certificates that renew automatically are renewed 30 days before their end. */
  certificateWarnMs: 14 * DAY_MS,
  /** Read of a database file to learn its version: the first page has it. */
  databaseHeadBytes: 64 * KIB,
} as const
