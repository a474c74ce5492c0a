import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import { recounting } from './lock-recount.js';
import { commands } from './property-commands.js';
import { Model } from './property-model.js';
import { type OpenStore, settings, setupWith } from './setup.js';

/** Whatever the order of steps, a backend does what a plain model of the contract does. */
export function describeProperty(
  name: string,
  open: OpenStore,
  options: { runs: number; steps: number },
): void {
  const setup = recounting(setupWith(open));
  const sequences = fc.commands(commands, { maxCommands: options.steps, size: 'max' });

  describe(`${name} backend`, () => {
    it(
      `does what the model does, in ${options.runs} runs of up to ${options.steps} steps`,
      () =>
        fc.assert(
          fc.asyncProperty(sequences, (steps) =>
            setup(async (bundle) => {
              const real = { bundle, held: [], sent: [] };
              await fc.asyncModelRun(() => ({ model: new Model(settings), real }), steps);
            })(),
          ),
          // Interrupted before the test is: a counterexample that is still being made smaller is told then, not a time limit.
          {
            numRuns: options.runs,
            plugins: [fc.interruptAfterTimeLimit(540_000, { failOnInterrupt: true })],
          },
        ),
      // Only an end to what hangs: with other work on the machine it may take minutes.
      600_000,
    );
  });
}
