// The format `template`: a text that the hook's own template makes of a JSON body.
import { CodedError } from '@postern/protocol'
import { parseTemplate } from '../templates/parse-template.ts'
import { renderTemplate } from '../templates/render-template.ts'
import { isBlank } from '../texts/clean.ts'
import { defineFormat, oneEvent } from './format.ts'
import { readJsonOrForm } from './post-body.ts'

export const template = defineFormat({
  read: (body, _, source) => {
    const json = readJsonOrForm(body, 'payload')
    if (typeof json !== 'object' || json === null)
      throw new CodedError('bad-field', { field: 'body', rule: 'must be a JSON object or a list' })
    return renderTemplate(parseTemplate(source), json)
  },
  repeat: () => oneEvent,
  plan: text => (isBlank(text) ? { kind: 'skip', why: 'its template makes an empty text' } : { kind: 'write', text }),
})
