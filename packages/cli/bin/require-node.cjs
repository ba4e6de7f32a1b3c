// Ends the process with one line when this Node is too old for Postern: an old Node cannot even parse our TypeScript.
// Written in the oldest JavaScript there is, because it must run on whatever Node is installed.
'use strict'

var OLDEST_MAJOR = 24

if (Number(process.versions.node.split('.')[0]) < OLDEST_MAJOR) {
  process.stderr.write(
    'Postern needs Node ' +
      OLDEST_MAJOR +
      ' or newer; this is v' +
      process.versions.node +
      '. Install one. In a checkout on Linux `npm ci` brings it along, and npm uses it: `npm start`, `npm test`.\n',
  )
  process.exit(1)
}
