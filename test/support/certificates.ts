import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { findProgram } from './servers/machine.mjs';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** An authority of our own and a certificate for 127.0.0.1 that it signed, in a folder that goes with the spec. */
export function makeCertificates() {
  const folder = mkdtempSync(join(tmpdir(), 'nestjs-jobs-tls-'));
  folders.push(folder);
  const openssl = findProgram(['openssl'], 'openssl');
  const run = (...args: string[]) => execFileSync(openssl, args, { cwd: folder, stdio: 'ignore' });
  const newKey = ['-newkey', 'rsa:2048', '-nodes'];
  run('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=tests');
  run('req', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=127.0.0.1');
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost');
  const authority = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial'];
  run(
    'x509',
    '-req',
    '-in',
    'server.csr',
    ...authority,
    '-out',
    'server.crt',
    '-days',
    '2',
    '-extfile',
    'names',
  );
  return {
    authority: readFileSync(join(folder, 'ca.crt'), 'utf8'),
    /** What a server needs; clients need no certificate. */
    settings: [
      ...['--tls-cert-file', join(folder, 'server.crt'), '--tls-key-file', join(folder, 'server.key')],
      ...['--tls-ca-cert-file', join(folder, 'ca.crt'), '--tls-auth-clients', 'no'],
    ],
  };
}
