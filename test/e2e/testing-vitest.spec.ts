import { spawn } from 'node:child_process';
import { expect, test } from '@jest/globals';

// vitest has its own globals and its own loader: it is tried as a program.
test('an application under test is at home in vitest: matchers, fake timers, virtual time', async () => {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--reporter', 'json', '--config'];
  const config = 'test/e2e/fixtures/vitest/vitest.config.mjs';
  const child = spawn(process.execPath, [...args, config], { env: { ...process.env, NODE_OPTIONS: '' } });
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  await new Promise((resolve) => child.on('close', resolve));
  const report = JSON.parse(output.slice(output.indexOf('{'))) as Record<string, unknown>;
  expect(report).toMatchObject({ success: true, numPassedTests: 2, numTotalTests: 2 });
}, 120_000);
