import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import { commands } from './property-commands.js';
import { Model } from './property-model.js';
import { type OpenStore, settings, setupWith } from './setup.js';

/** Any order of steps has the results that a plain model of the contract has. */
export function describeProperty(
  name: string,
  open: OpenStore,
  options: { runs: number; steps: number },
): void {
  const setup = setupWith(open);
  describe(`${name} backend`, () => {
    it(`does what the model does, in ${options.runs} runs of up to ${options.steps} steps`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(commands, { maxCommands: options.steps, size: 'max' }), (steps) =>
          setup((bundle) =>
            fc.asyncModelRun(
              () => ({ model: new Model(settings), real: { bundle, held: [], sent: [] } }),
              steps,
            ),
          )(),
        ),
        { numRuns: options.runs },
      );
    }, 120_000);
  });
}
