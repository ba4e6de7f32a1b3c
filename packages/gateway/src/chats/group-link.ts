// Reads a link to a group from a request.
import { CodedError } from '@postern/protocol'
import { type GroupLink, isGroupLink, parseGroupLink } from '@postern/protocol/content'

/** A link to a bot or a person has another form: the answer says which one is wanted. */
export function groupLinkIn(link: string): GroupLink {
  if (!isGroupLink(link)) throw new CodedError('bad-field', { field: 'link', rule: 'must be a link to a group' })
  return parseGroupLink(link)
}
