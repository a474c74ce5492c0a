import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { nameOf, postgresTarget } from '../../lib/backend/postgres/postgres-target.js';

const poolOf = (config: pg.PoolConfig) => new pg.Pool(config);

describe('A postgres backend', () => {
  it('connects as the pool of the application does, with its password and without what is about the pool', () => {
    const pool = poolOf({
      host: 'db',
      port: 6000,
      user: 'me',
      password: 'secret',
      max: 3,
      ssl: { key: 'k' },
    });
    const target = postgresTarget({ pool });
    expect(target).toMatchObject({ type: 'server', pool });
    const { config } = target as unknown as { config: Record<string, unknown> };
    expect({ ...config }).toMatchObject({ host: 'db', port: 6000, user: 'me', password: 'secret' });
    expect(config).not.toHaveProperty('max');
  });

  it.each([
    [{ url: 'postgres://me:secret@db:6000/app' }, 'postgres at db:6000/app'],
    [
      { pool: poolOf({ host: 'db', user: 'me', password: 'secret', database: 'app' }) },
      'postgres at db:5432/app',
    ],
    [{ pglite: './data' }, 'pglite in ./data'],
  ])('has a name without user and password: %#', (options, name) => {
    expect(nameOf(postgresTarget(options))).toBe(name);
  });

  it.each([
    [{}, 'url'],
    [{ url: 'postgres://a/b', pglite: './data' }, 'url'],
    [{ url: 'mysql://a/b' }, 'url'],
    [{ pool: {} as never }, 'pool'],
    [{ pglite: '' }, 'pglite'],
    [{ url: 'postgres://a/b', migrate: 'no' as never }, 'migrate'],
    [{ url: 'postgres://a/b', schema: 'jobs' } as never, 'schema'],
  ])('refuses what it cannot connect by, and says which option: %#', (options, option) => {
    expect(() => postgresTarget(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', option }),
    );
  });
});
