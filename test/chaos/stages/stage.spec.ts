import { describe, expect, it } from '@jest/globals';
import { throughPorts } from './stage.js';

const ports = new Map([
  [7_001, 41_001],
  [7_002, 41_002],
]);

describe('A store through other ports', () => {
  it('is found by its address where there is one server', () => {
    expect(throughPorts({ postgres: { url: 'postgres://me:7@127.0.0.1:7001/db' } }, ports)).toEqual({
      postgres: { url: 'postgres://me:7@127.0.0.1:41001/db' },
    });
    expect(throughPorts({ redis: { url: 'redis://127.0.0.1:7002' } }, ports)).toEqual({
      redis: { url: 'redis://127.0.0.1:41002' },
    });
  });

  it('is found by what its nodes call each other, too, where it is a cluster', () => {
    expect(throughPorts({ redis: { url: 'redis+cluster://127.0.0.1:7001,127.0.0.1:7002' } }, ports)).toEqual({
      redis: {
        url: 'redis+cluster://127.0.0.1:41001,127.0.0.1:41002',
        natMap: {
          '127.0.0.1:7001': { host: '127.0.0.1', port: 41_001 },
          '127.0.0.1:7002': { host: '127.0.0.1', port: 41_002 },
        },
      },
    });
  });
});
