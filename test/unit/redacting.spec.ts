import { describe, expect, it } from '@jest/globals';
import { redacting } from '../../lib/backend/lease-thread/redacting.js';

describe('What is said about a connection', () => {
  it.each<[string, unknown]>([
    ['a password', { password: 's3cret' }],
    ['one within', { options: { sentinelPassword: 's3cret' }, list: [{ port: 1 }] }],
    ['the passphrase of a key', { ssl: { key: new Uint8Array(3), passphrase: 's3cret' } }],
    ['one in an address', { connectionString: 'postgres://me:s3cret@host:1/db' }],
    ['one behind the ? of an address', { connectionString: 'postgres://host/db?user=me&password=s3cret' }],
  ])('does not show %s', (_, options) => {
    expect(redacting(options)('"s3cret" is refused, and s3cret again')).toBe(
      '"***" is refused, and *** again',
    );
  });

  it('shows a password neither as it is nor as an address writes it', () => {
    const redact = redacting({ connectionString: 'postgres://me:p%40s%20s@host/db' });
    expect(redact('p%40s%20s and p@s s')).toBe('*** and ***');
  });

  it.each([
    ['postgres://me:a/b@c@host:x/db', 'a/b@c'],
    ['postgres://me:a%zz@host/db', 'a%zz'],
  ])('shows no password of the address %s, which cannot be read', (connectionString, password) => {
    expect(redacting({ connectionString })(`nothing is at ${password}`)).toBe('nothing is at ***');
  });

  it('does not show the rest of a password that begins with another', () => {
    const redact = redacting({ password: 'abc', sentinelPassword: 'abcdef' });
    expect(redact('abcdef')).toBe('***');
  });

  it.each([[{}], [undefined], [{ password: '', host: 'a' }], [{ connectionString: 'postgres://host/db' }]])(
    'is shown as it is without a password: %j',
    (options) => {
      expect(redacting(options)('host a is away')).toBe('host a is away');
    },
  );
});
