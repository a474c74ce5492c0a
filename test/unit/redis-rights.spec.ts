import { describe, expect, it } from '@jest/globals';
import { luaSources } from '../../lib/backend/redis/lua-sources.js';
import { scriptCalls } from '../../lib/backend/redis/redis-rights.js';

const commandOf = (call: string) => /'([A-Z]+)'/.exec(call)![1]!;

/** Beside the scripts, in which queues are noted and listed. */
const outside = ['SADD', 'SMEMBERS'];

describe('The rights that are tried at boot', () => {
  it('are those of the commands that the scripts call, none more and none less', () => {
    const called = Object.values(luaSources).flatMap((source) =>
      // A command is the first argument of whatever calls it.
      Array.from(source.matchAll(/\(\s*'([A-Z]{3,})'/g), ([, command]) => command!),
    );
    expect(scriptCalls.map(commandOf).sort()).toEqual([...new Set([...called, ...outside])].sort());
  });
});
