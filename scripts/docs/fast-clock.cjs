// Loaded before a relay: its calendar runs CLOCK_RATE times as fast as the machine's since CLOCK_ZERO, and
// jumps a day ahead at SIGUSR2. Waits of more than 9 seconds are shorter by the same factor; shorter ones,
// such as the time limit of a response, stay. The time limit of calls counts by the calendar.
const zero = Number(process.env.CLOCK_ZERO)
const rate = Number(process.env.CLOCK_RATE)
const RealDate = Date
const globals = /** @type {any} */ (globalThis)
let jumps = 0

process.on('SIGUSR2', () => {
  jumps += 86_400_000
})

function now() {
  return zero + (RealDate.now() - zero) * rate + jumps
}

globals.Date = new Proxy(RealDate, {
  construct: (target, given) => Reflect.construct(target, given.length === 0 ? [now()] : given),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})

const { timeOrigin } = performance
Object.defineProperty(performance, 'timeOrigin', {
  get: () => timeOrigin + now() - RealDate.now(),
})

globals.setTimeout = new Proxy(setTimeout, {
  apply: (target, self, [back, delay, ...more]) =>
    Reflect.apply(target, self, [back, delay > 9000 ? delay / rate : delay, ...more]),
})
