// The change of a subject by a post or a look.

export type Reply = { text: string; silent: boolean }

/** `isNewRound`: the message of the round before is finished. */
export type SubjectChange<Subject> = {
  subject: Subject
  isChanged: boolean
  isNewRound: boolean
  replies: Reply[]
}
