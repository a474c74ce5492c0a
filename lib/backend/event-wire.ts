/** Carries short texts to every process on the same store. Hints, as a bell's: one that is lost is lost. */
export interface EventWire {
  /** Never rejects and never throws. Texts of the same moment travel together; one of more than 4,000 bytes is not carried. */
  send(text: string): void;
  /** Calls `heard` with each text that any process sends, this one included, until the returned function is called. */
  listen(heard: (text: string) => void): Promise<() => void>;
}
