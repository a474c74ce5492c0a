import { describe, expect, it } from '@jest/globals';
import { Pool, type ClientConfig } from 'pg';
import { cloneableConfig } from '../../lib/backend/postgres/lease-thread/cloneable-config.js';

describe('The options that a lease thread connects to PostgreSQL by', () => {
  it('are those that were given', () => {
    const config: ClientConfig = {
      host: 'a',
      port: 1,
      user: 'me',
      password: 's',
      ssl: { ca: 'c' },
      options: '-c x=1',
    };
    expect(cloneableConfig(config)).toEqual(config);
  });

  it('hold the password and the key that a pool hides', () => {
    const ssl = { key: 'k', cert: 'c' };
    const { options } = new Pool({ host: 'a', password: 's', ssl });
    expect(cloneableConfig(options)).toMatchObject({
      host: 'a',
      password: 's',
      ssl: { key: 'k', cert: 'c' },
    });
    // The pool has changed what it was given.
    expect(cloneableConfig({ ssl })).toEqual({ ssl: { key: 'k', cert: 'c' } });
  });

  it('are without what the thread says itself', () => {
    expect(
      cloneableConfig({
        host: 'a',
        application_name: 'mine',
        statement_timeout: 1,
        connectionTimeoutMillis: 0,
        types: { getTypeParser: () => String },
      }),
    ).toEqual({ host: 'a' });
  });

  it.each([
    ['postgres://a/b?application_name=c', 'postgres://a/b?'],
    ['postgres://a/b?application_name=c&ssl=1', 'postgres://a/b?ssl=1'],
    ['postgres://a/b?ssl=1&application_name=c&x=2', 'postgres://a/b?ssl=1&x=2'],
    ['postgres://a/b?ssl=1&fallback_application_name=c', 'postgres://a/b?ssl=1&'],
    ['postgres://me:application_name=c@a/b', 'postgres://me:application_name=c@a/b'],
  ])('hold the address %s without a name', (connectionString, unnamed) => {
    expect(cloneableConfig({ connectionString })).toEqual({ connectionString: unnamed });
  });

  it.each<[string, ClientConfig]>([
    ['password', { password: () => 's' }],
    ['stream', { stream: () => undefined }],
    ['ssl', { ssl: { checkServerIdentity: () => undefined } }],
  ])('cannot be had where %s is a function', (name, config) => {
    expect(() => cloneableConfig(config)).toThrow(
      `the PostgreSQL option '${name}' cannot be handed to another thread`,
    );
  });
});
