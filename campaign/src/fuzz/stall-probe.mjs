// Loaded into a gateway before its own code: a line for each time that its event loop was busy for longer than a limit.
// Processor time of the thread counts, so that a busy machine is no finding.
const LOOK_EVERY_MS = 5
const STALL_MS = 50

let last = process.threadCpuUsage()

setInterval(() => {
  const now = process.threadCpuUsage()
  const ms = (now.user + now.system - last.user - last.system) / 1000
  last = now
  if (ms > STALL_MS) process.stdout.write(`${JSON.stringify({ stallMs: Math.round(ms) })}\n`)
}, LOOK_EVERY_MS).unref()
