// `npm run campaign -- chaos --minutes 30 --seed 7`: faults in real processes, then a table; exit 1 when something is wrong.
import { run as browser } from './browser/run-command.ts'
import { run as chaos } from './chaos/run-command.ts'
import { run as fuzz } from './fuzz/run-fuzz.ts'
import { run as power } from './power/run-power.ts'
import { run as relays } from './relays/run-command.ts'
import { run as restores } from './restores/run-command.ts'
import { run as tests } from './run-tests.ts'

/** Each reads its own options, prints its result, and resolves to the exit code. */
const campaigns: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  browser,
  chaos,
  fuzz,
  power,
  relays,
  restores,
  tests,
}

const usage = `Usage: npm run campaign -- <campaign> [options]

  chaos   kills, stops, full disks, clocks that jump and a bad network   --minutes 30 [--only kill,network] [--parts relay,poller]
  power   power cuts: what was not synced is lost, or half of it         --cuts 50
  relays  kills, storms, failovers and a cut network: relays on one database  --kills 100 [--only login-storm] [--slow-database 300]
  restores backups of any age, restored to any parts in any order        --restores 30
  browser a page of the app that stalls and is reloaded                  --seconds 300
  fuzz    requests, posts and frames that nobody should send             --requests 100000 --bodies 10000 --frames 50000
  tests   the tests that depend on chance, with new seeds                --times 10

  --seed N    the same faults again          --json   the table as JSON, on standard output
`

const [name = '', ...args] = process.argv.slice(2)
const campaign = Object.hasOwn(campaigns, name) ? campaigns[name] : undefined
if (!campaign) {
  console.error(`${name ? `There is no campaign "${name}".` : 'A campaign has to be named.'}\n\n${usage}`)
  process.exit(2)
}
// Open handles are no longer needed: a fetch that was cut may hold its connection for minutes.
process.exit(await campaign(args))
