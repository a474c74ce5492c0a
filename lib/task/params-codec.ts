/** Params on their way into the store and out of it. */
export interface ParamsCodec<P = unknown> {
  /**
   * At enqueue: checks `input`, fills defaults, and gives the value as `run()` will see it with the text to store.
   * Fails with `InvalidParamsError`, which lists every violation, or with `PayloadTooLargeError`.
   */
  encode(input: unknown): Encoded<P> | Promise<Encoded<P>>;

  /**
   * Before a run: rebuilds and checks the value. Fails with `UnreadableParamsError` where the text is no JSON, else with
   * `InvalidParamsError`; that has a `cause` where a validator threw, so that the same text may pass another time.
   */
  decode(text: string): P | Promise<P>;
}

export interface Encoded<P = unknown> {
  readonly value: P;
  readonly text: string;
}
