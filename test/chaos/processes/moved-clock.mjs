// Loaded before all else, in threads, too: the wall clock of this process is wrong by so many milliseconds.
const byMs = Number(process.env.CHAOS_CLOCK_MS);
const Real = Date;
globalThis.Date = class Date extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + byMs);
    else super(...given);
  }

  static now() {
    return Real.now() + byMs;
  }
};
