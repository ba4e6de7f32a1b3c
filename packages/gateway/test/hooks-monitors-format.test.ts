// The formats `grafana` and `uptime_kuma`: the bodies, the texts, and what they remember.
import { hookLimits, type MessageId } from '@postern/protocol'
import { describe, expect, test } from 'vitest'
import { formats } from '../src/hooks/formats/formats.ts'
import { readGrafana } from '../src/hooks/formats/grafana.ts'
import { readUptimeKuma } from '../src/hooks/formats/uptime-kuma.ts'
import { wordsIn } from '../src/hooks/words/words.ts'

type Json = Record<string, unknown>

const alert = (more: Json = {}): Json => ({
  status: 'firing',
  labels: { alertname: 'High memory', instance: 'db-1', severity: 'critical' },
  annotations: { summary: 'Memory is high' },
  startsAt: '2026-11-18T09:00:00Z',
  endsAt: '0001-01-01T00:00:00Z',
  fingerprint: 'c6eadffa33fcdf37',
  values: { B: 93.123456789, C: 1 },
  silenceURL: 'https://grafana.example/alerting/silence/new?matcher=a%3Db',
  panelURL: 'https://grafana.example/d/abc?viewPanel=4',
  dashboardURL: 'https://grafana.example/d/abc',
  generatorURL: 'https://grafana.example/alerting/1/edit',
  ...more,
})

const grafana = (more: Json = {}): Json => ({
  receiver: 'chat',
  status: 'firing',
  orgId: 1,
  alerts: [alert()],
  groupLabels: { alertname: 'High memory' },
  commonLabels: { alertname: 'High memory' },
  commonAnnotations: {},
  externalURL: 'https://grafana.example/',
  version: '1',
  groupKey: '{}:{alertname="High memory"}',
  truncatedAlerts: 0,
  title: '[FIRING:1] High memory',
  state: 'alerting',
  message: '**Firing**',
  ...more,
})

describe('grafana', () => {
  test('[GATEWAY-10.38] in both languages, with values and buttons', () => {
    const { text, buttons } = readGrafana(grafana(), wordsIn.ru)
    expect(text).toBe('🔥 High memory: 1 срабатывание\nMemory is high (critical, db-1): B = 93.1235, C = 1')
    expect(buttons.flat().map(({ text: label }) => label)).toEqual(['Заглушить', 'Панель'])
    const english = readGrafana(grafana({ status: 'resolved', alerts: [alert({ status: 'resolved' })] }), wordsIn.en)
    expect(english.text).toBe('✅ Resolved: High memory, 1 alert\nMemory is high (critical, db-1)')
    expect(english.buttons).toEqual([])
  })

  test('[GATEWAY-10.38] a Grafana without https has a link, and hostile addresses have neither', () => {
    const plain = { silenceURL: 'http://grafana:3000/s', panelURL: 'http://grafana:3000/p', dashboardURL: null }
    const shown = readGrafana(grafana({ alerts: [alert(plain)] }), wordsIn.en)
    expect(shown.buttons).toEqual([])
    expect(shown.text.split('\n').at(-1)).toBe('http://grafana:3000/p')
    const evil = [
      'javascript:alert(1)',
      'https://bank.example@evil.example/',
      5,
      { a: 1 },
      `https://x/${'y'.repeat(5000)}`,
    ]
    for (const url of evil) {
      const hostile = { silenceURL: url, panelURL: url, dashboardURL: url }
      expect(readGrafana(grafana({ alerts: [alert(hostile)], externalURL: null }), wordsIn.en).buttons).toEqual([])
    }
  })

  test('[GATEWAY-10.38] other versions and no alerts are refused, with the field', () => {
    expect(() => readGrafana(grafana({ version: '4' }), wordsIn.en)).toThrow('version: must be 1.')
    expect(() => readGrafana(grafana({ alerts: {} }), wordsIn.en)).toThrow('alerts: must have at least one alert.')
    expect(() => readGrafana([], wordsIn.en)).toThrow('body: must be a JSON object.')
  })
})

const kuma = (status: number | undefined, more: Json = {}): Json => ({
  heartbeat: status === undefined ? null : { status, msg: 'timeout of 48000ms exceeded', ping: null, important: true },
  monitor: { id: 3, name: 'shop', url: 'https://shop.example', type: 'http' },
  msg: '[shop] [🔴 Down] timeout of 48000ms exceeded',
  ...more,
})

describe('uptime_kuma', () => {
  const read = (body: Json, language: 'ru' | 'en' = 'ru') => readUptimeKuma(body, wordsIn[language].uptime)

  test('[GATEWAY-10.39] down and up again, in both languages', () => {
    expect(read(kuma(0))?.text(undefined)).toBe(
      '🔴 Не отвечает: shop (https://shop.example)\ntimeout of 48000ms exceeded',
    )
    expect(read(kuma(1))?.text(240_000)).toBe('🟢 Снова работает: shop (https://shop.example), не было 4 мин')
    expect(read(kuma(1), 'en')?.text(7_500_000)).toBe('🟢 Up again: shop (https://shop.example), down for 2 h 5 min')
    expect(read(kuma(1), 'en')?.text(undefined)).toBe('🟢 Up again: shop (https://shop.example)')
    expect([read(kuma(2)), read(kuma(3)), read(kuma(9))]).toEqual([undefined, undefined, undefined])
  })

  test('[GATEWAY-10.39] a test, a monitor without an address, and one without a name', () => {
    expect(read(kuma(undefined, { monitor: null, msg: 'My Kuma Testing' }))?.text(undefined)).toBe('🔔 My Kuma Testing')
    const port = { id: 4, name: 'db', url: 'https://', hostname: 'db.local', port: 5432 }
    expect(read(kuma(0, { monitor: port }))?.text(undefined)).toMatch(/^🔴 Не отвечает: db \(db.local:5432\)\n/)
    expect(read(kuma(0, { monitor: null }), 'en')?.text(undefined)).toMatch(/^🔴 Down: unnamed monitor\n/)
    expect(() => read(kuma(undefined, { msg: null }))).toThrow('msg: must not be blank, without a heartbeat.')
  })

  test('[GATEWAY-10.39] a recovery replies to the newest message, and counts from the first', () => {
    const format = formats.uptime_kuma
    const body = (status: number) => ({ text: JSON.stringify(kuma(status)), type: 'application/json' })
    const down = format.read(body(0), wordsIn.en)
    const becomes = { becomes: 'down' }
    const first = format.kept(becomes, { message: 'm1' as MessageId, saidMs: 1000, past: undefined })
    const second = format.kept(becomes, { message: 'm2' as MessageId, saidMs: 61_000, past: first })
    expect(down.plan(undefined, 0)).toMatchObject({ kind: 'write', becomes })
    expect(format.read(body(1), wordsIn.en).plan(second, 241_000)).toMatchObject({
      inReply: { to: 'm2', text: '🟢 Up again: shop (https://shop.example), down for 4 min' },
      silent: true,
    })
    expect(
      format.kept({ becomes: 'up' }, { message: 'm3' as MessageId, saidMs: 241_000, past: second }),
    ).toBeUndefined()
    expect(format.read(body(0), wordsIn.en).repeat).toEqual({
      withinMs: hookLimits.repeatWithinMs.event,
      isOneEvent: true,
    })
  })

  test('[GATEWAY-10.39] as a form with boundaries', () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=--------------------------1234' }
    const part = `----------------------------1234\r\nContent-Disposition: form-data; name="data"\r\n\r\n${JSON.stringify(kuma(0))}\r\n`
    const form = (text: string) =>
      formats.uptime_kuma.read({ text, type: 'multipart/form-data', headers }, wordsIn.en).plan(undefined, 0)
    expect(form(`${part}----------------------------1234--\r\n`)).toMatchObject({ kind: 'write' })
    expect(() => form(part)).toThrow('data: must be a field of the form.')
    expect(() => form('')).toThrow('data: must be a field of the form.')
  })
})
