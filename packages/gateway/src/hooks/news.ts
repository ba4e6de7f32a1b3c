// What a body says, by the format of its hook, before anybody has looked at what was said before.
import { hash } from 'node:crypto'
import { type AlertGroup, readAlerts } from './formats/alerts.ts'
import { type PipelineRun, readPipeline } from './formats/pipeline.ts'
import { decodeBody, mediaTypeOf, readJson, readText } from './formats/text.ts'
import type { StoredHook } from './hooks.ts'
import type { Place } from './memory.ts'

export type AlertNews = { kind: 'alerts'; at: Place<'group'>; group: AlertGroup }
export type PipelineNews = { kind: 'pipeline'; at: Place<'run'>; run: PipelineRun }

export type News = { kind: 'none' } | { kind: 'text'; text: string } | AlertNews | PipelineNews

export type Incoming = { hook: StoredHook; body: Uint8Array; contentType: string | undefined }

export const digest = (text: string | Uint8Array): string => hash('sha256', text, 'base64url')

export function readNews({ hook, body, contentType }: Incoming): News {
  const type = mediaTypeOf(contentType)
  const text = decodeBody(body, type)
  switch (hook.format) {
    case 'alerts': {
      const group = readAlerts(readJson(text))
      const at: Place<'group'> = { hook: hook.id, kind: 'group', name: digest(group.key) }
      return { kind: 'alerts', at, group: { ...group, identity: digest(group.identity) } }
    }
    case 'pipeline': {
      const run = readPipeline(readJson(text))
      if (!run) return { kind: 'none' }
      return { kind: 'pipeline', at: { hook: hook.id, kind: 'run', name: digest(run.line) }, run }
    }
    case 'text':
      return { kind: 'text', text: readText(text, type) }
  }
}
