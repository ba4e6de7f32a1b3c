// The contents of a post about a group of alerts. Every word of it is one line, and bounded.

/** Times are the sender's, 0 if it gives none. `key`: a digest of the fingerprint. */
export type PostedAlert = {
  key: string
  place: string
  about: string
  severity: string
  isOver: boolean
  startMs: number
  endMs: number
}

export type AlertsPost = {
  /** A digest of the group's key. */
  name: string
  title: string
  /** Alerts that the post left out. */
  cut: number
  matchers: [name: string, value: string][]
  links: { kind: 'silence' | 'panel' | 'open'; url: string }[]
  alerts: PostedAlert[]
}
