import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { commands, lockOfPhase, phases } from './property-commands.js';
import { Model } from './property-model.js';
import { type Bundle, leaseMs, type OpenStore, settings, setupWith } from './setup.js';

/** Whatever the order of steps, a backend does what a plain model of the contract does. */
export function describeProperty(
  name: string,
  open: OpenStore,
  options: { runs: number; steps: number },
): void {
  const setup = setupWith(open);
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
              await expectNoLockLeft(bundle, real.sent);
            })(),
          ),
          { numRuns: options.runs },
        ),
      120_000,
    );
  });
}

/** After every task has ended, each lock can be had. */
async function expectNoLockLeft(
  { backend, queue, advance, add, claim }: Bundle,
  sent: { id: string }[],
): Promise<void> {
  await backend.catalog.resume(queue);
  await backend.catalog.cancel(sent.map(({ id }) => ({ queue, id })));
  await advance(leaseMs);
  expect((await claim()).tasks).toEqual([]);
  const added = await add(...phases.map((phase) => ({ lock: lockOfPhase(phase) })));
  expect(added).toEqual(phases.map(() => ({ status: 'enqueued' })));
}
