// Links the Node that `npm ci` has brought along, where npm did not: two packages offer a `node`, one for each processor, and
// npm before 11 then links neither. Runs on whatever Node is installed, so in the oldest JavaScript there is.
'use strict'

var fs = require('fs')
var path = require('path')

var modules = path.join(__dirname, '../../../node_modules')
var bundled = path.join(modules, 'node-' + process.platform + '-' + process.arch, 'bin/node')
var link = path.join(modules, '.bin/node')

if (fs.existsSync(bundled) && !fs.existsSync(link)) fs.symlinkSync(path.relative(path.dirname(link), bundled), link)
