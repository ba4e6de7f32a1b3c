// A dashboard of Grafana from rows of panels: what is asked of Prometheus stands in a table, and the rest is made here.

export type Panel = {
  title: string
  /** What a panel says in the words of who has to act on it. */
  description?: string
  /** `stat`: one large number. */
  kind?: 'stat'
  unit?: 's' | 'bytes' | 'Bps' | 'ops' | 'percentunit' | 'short'
  /** Expressions of Prometheus by what stands in the legend. */
  shows: Readonly<Record<string, string>>
}

export type Dashboard = {
  uid: string
  title: string
  /** Its values are the instances of this metric; `$instance` in expressions. */
  instancesOf: string
  /** Panels by the title of their row. */
  rows: Readonly<Record<string, readonly Panel[]>>
}

const WIDTH = 24
const datasource = { type: 'prometheus', uid: '${source}' }

/** As Grafana imports it: whoever does chooses the Prometheus, and no id of ours can be in the way. */
export function grafanaJson({ uid, title, instancesOf, rows }: Dashboard): string {
  const dashboard = {
    uid,
    title,
    tags: ['postern'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [sourceVariable, instanceVariable(instancesOf)] },
    panels: panelsOf(rows),
  }
  return `${JSON.stringify(dashboard, null, 2)}\n`
}

const sourceVariable = { name: 'source', label: 'Prometheus', type: 'datasource', query: 'prometheus' }

const instanceVariable = (metric: string) => ({
  name: 'instance',
  label: 'Instance',
  type: 'query',
  datasource,
  query: { query: `label_values(${metric}, instance)`, refId: 'instance' },
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  current: { text: 'All', value: '$__all' },
})

/** Row by row, the panels of each side by side. */
function panelsOf(rows: Dashboard['rows']): object[] {
  const all: object[] = []
  let y = 0
  for (const [title, panels] of Object.entries(rows)) {
    all.push({
      id: all.length + 1,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: at({ y, w: WIDTH, h: 1 }),
    })
    y += 1
    const isStats = panels.every(({ kind }) => kind === 'stat')
    const [w, h] = [Math.floor(WIDTH / panels.length), isStats ? 4 : 8]
    for (const [place, panel] of panels.entries())
      all.push({ id: all.length + 1, ...panelOf(panel), gridPos: at({ x: place * w, y, w, h }) })
    y += h
  }
  return all
}

const at = ({ x = 0, y, w, h }: { x?: number; y: number; w: number; h: number }) => ({ x, y, w, h })

function panelOf({ title, description, kind, unit = 'short', shows }: Panel): object {
  return {
    type: kind ?? 'timeseries',
    title,
    ...(description !== undefined && { description }),
    datasource,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: kind === 'stat' ? statOptions : linesOptions,
    targets: Object.entries(shows).map(([legendFormat, expr], place) => ({
      refId: String.fromCodePoint(65 + place),
      datasource,
      expr,
      legendFormat,
    })),
  }
}

/** With its name: of a version the number alone says nothing. */
const statOptions = {
  reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
  textMode: 'value_and_name',
}

const linesOptions = {
  legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
  tooltip: { mode: 'multi', sort: 'desc' },
}
