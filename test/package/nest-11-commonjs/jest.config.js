/** @type {import('jest').Config} */
module.exports = {
  testMatch: ['<rootDir>/*.spec.ts'],
  moduleNameMapper: { '^\\./(app|redis)\\.js$': '<rootDir>/$1.ts' },
  transform: { '\\.ts$': 'ts-jest' },
};
