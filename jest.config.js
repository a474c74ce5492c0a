/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/support/servers/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/servers/global-teardown.mjs',
  roots: ['<rootDir>/test', '<rootDir>/sample'],
  // No claim about speed, only an end to what hangs: machines are shared, and one may be ten times slower than another.
  testTimeout: 60_000,
  // Many tests wait for leases to end and servers to come back: two at a time wait together, also on two cores.
  maxWorkers: 2,
  // Modules of finished suites stay in memory (`--experimental-vm-modules`): after some hundred suites a worker would spend most of
  // its time collecting garbage, so it is replaced in time.
  workerIdleMemoryLimit: '500MB',
  testMatch: ['**/*.spec.ts'],
  modulePathIgnorePatterns: ['<rootDir>/test/package/', '<rootDir>/test/bench/peers/'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleNameMapper: {
    '^nestjs-jobs$': '<rootDir>/lib/index.ts',
    '^nestjs-jobs/redis$': '<rootDir>/lib/backend/redis/index.ts',
    '^nestjs-jobs/terminus$': '<rootDir>/lib/terminus/index.ts',
    '^nestjs-jobs/postgres$': '<rootDir>/lib/backend/postgres/index.ts',
    '^nestjs-jobs/testing$': '<rootDir>/lib/testing/index.ts',
    '^nestjs-jobs/dashboard$': '<rootDir>/lib/dashboard/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
          target: 'es2022',
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
    // Of the page alone.
    '^.+\\.tsx$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', tsx: true },
          transform: { react: { runtime: 'automatic', importSource: 'preact' } },
          target: 'es2022',
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};
