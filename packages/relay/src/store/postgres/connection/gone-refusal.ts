// The answer to a request whose connection is closed before it was sent to the database.
import { CodedError } from '@postern/protocol'

export const goneRefusal = (): CodedError => new CodedError('unauthenticated', { why: 'the connection is closed' })
